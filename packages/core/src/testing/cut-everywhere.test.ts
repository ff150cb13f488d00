import { cutEverywhere } from "./index.js";

describe("cutEverywhere", () => {
  it("cuts bytes at every place and loses none", () => {
    const bytes = new TextEncoder().encode("é\r\n");
    const ways = [...cutEverywhere(bytes)];
    expect(ways).toHaveLength(bytes.length + 1);
    for (const pieces of ways) expect(Buffer.concat(pieces)).toEqual(Buffer.from(bytes));
    expect(ways.at(-1)).toHaveLength(bytes.length);
  });

  it("gives one way, of no pieces, for nothing", () => {
    expect([...cutEverywhere("")]).toEqual([[]]);
  });
});
