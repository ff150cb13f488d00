import { quoteId } from "../protocol/quote-id.js";

/** The protocol version that agrx speaks and declares. The types of `@ag-ui/core` 1.x still say 1.0. */
export const spokenVersion = "1.1";

/** Why a peer's declared version deserves a warning: it is newer, or it is no version at all. */
export function versionDoubt(declared: string): string | undefined {
  const [, major, minor] = /^(\d+)\.(\d+)$/.exec(declared) ?? [];
  const [ourMajor = 0, ourMinor = 0] = spokenVersion.split(".").map(Number);
  const known = Number(major) < ourMajor || (Number(major) === ourMajor && Number(minor) <= ourMinor);
  return known
    ? undefined
    : `declares protocol version ${quoteId(declared)}, not ${spokenVersion} or older: what is not known here is removed`;
}
