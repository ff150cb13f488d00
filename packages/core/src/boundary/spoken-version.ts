import { short } from "./findings.js";

/** The protocol version that agrx speaks and declares. The types of `@ag-ui/core` 1.x still say 1.0. */
export const spokenVersion = "1.1";

/** Why a peer's declared version deserves a warning: it is newer, or it is no version at all. */
export function versionDoubt(declared: string): string | undefined {
  const version = /^(\d+)\.(\d+)$/.exec(declared);
  if (version === null) {
    return `declares protocol version "${short(declared)}", which is not MAJOR.MINOR: what ${spokenVersion} does not know is removed`;
  }
  const [major, minor] = spokenVersion.split(".").map(Number) as [number, number];
  const theirs = [Number(version[1]), Number(version[2])] as const;
  const newer = theirs[0] > major || (theirs[0] === major && theirs[1] > minor);
  return newer
    ? `speaks protocol version ${short(declared)}, newer than ${spokenVersion}: what ${spokenVersion} does not know is removed`
    : undefined;
}
