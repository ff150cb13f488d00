import { entityKinds, lifecycle, type AGUIEvent, type LifecycleRow } from "@agrx/core";
import { createVerifier } from "./create-verifier.js";

// All that an event type of a later protocol takes: its rows, and a kind when it has entities of its own.
const tables = {
  lifecycle: {
    ...lifecycle,
    VIDEO_STARTED: { role: "opens", kind: "video", id: "videoId" },
    VIDEO_FRAME: { role: "continues", kind: "video", id: "videoId" },
    VIDEO_ENDED: { role: "closes", kind: "video", id: "videoId" },
  } as unknown as Readonly<Record<string, LifecycleRow>>,
  entityKinds: { ...entityKinds, video: { label: "video", mustClose: true as const } },
};

const started = { type: "RUN_STARTED", threadId: "t", runId: "r" };
const finished = { type: "RUN_FINISHED", threadId: "t", runId: "r" };
const video = { type: "VIDEO_STARTED", videoId: "clip-1" };
const frame = { type: "VIDEO_FRAME", videoId: "clip-1" };
const end = { type: "VIDEO_ENDED", videoId: "clip-1" };
const by = (event: object) => ({ ...event, subagentRunId: "agent-1" });

describe("an event type that is added to the lifecycle table", () => {
  it.each<[string, object[], string[]]>([
    ["passes in its place", [started, video, frame, end, video, end, finished], []],
    ["must be opened", [started, frame, finished], ["not-open"]],
    ["must be opened once", [started, video, video, end, finished], ["duplicate-start"]],
    ["must be closed", [started, video, finished], ["open-at-finish"]],
    ["has an owner", [started, video, by(frame), end, finished], ["owner-mismatch"]],
  ])("%s", (_, stream, rules) => {
    const verifier = createVerifier({ tables });
    const told = stream.flatMap((event) => verifier.observe(event as AGUIEvent)?.rule ?? []);
    expect(told).toEqual(rules);
  });

  it("has its name in messages", () => {
    const verifier = createVerifier({ tables });
    verifier.observe(started as AGUIEvent);
    expect(verifier.observe(end as unknown as AGUIEvent)?.message).toContain('video "clip-1"');
  });
});
