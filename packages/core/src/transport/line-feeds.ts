/**
 * Turns CR and CRLF into LF in text that comes in fragments, without waiting for what follows a CR.
 *
 * A parser has to hold a final CR back until it knows whether an LF follows: a frame that ends there would
 * come with the next one only.
 */
export function createLineFeeds(): (fragment: string) => string {
  let afterReturn = false;
  return (fragment) => {
    if (fragment === "") return fragment;
    const text = afterReturn && fragment.startsWith("\n") ? fragment.slice(1) : fragment;
    afterReturn = fragment.endsWith("\r");
    return text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
  };
}
