export { resumeInput, type InterruptedRun, type ResumeInputOptions } from "./resume-input.js";
