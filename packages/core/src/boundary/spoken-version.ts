import { short } from "./findings.js";

/** The protocol version that agrx speaks and declares. The types of `@ag-ui/core` 1.x still say 1.0. */
export const spokenVersion = "1.1";

/** Why a peer's declared version deserves a warning: it is newer, or it is no version at all. */
export function versionDoubt(declared: string): string | undefined {
  const version = /^(\d+)\.(\d+)$/.exec(declared);
  const [major = 0, minor = 0] = spokenVersion.split(".").map(Number);
  if (version && (+version[1]! < major || (+version[1]! === major && +version[2]! <= minor)))
    return undefined;
  const what = version ? "newer than" : "not MAJOR.MINOR as";
  return `declares protocol version "${short(declared)}", ${what} ${spokenVersion}: what ${spokenVersion} does not know is removed`;
}
