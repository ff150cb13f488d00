import { createChunkLanes } from "../index.js";
import { runMarbles } from "../testing/index.js";

/** What the lanes tell of a line of events, as one line. */
function follow(line: string): string {
  const told: string[] = [];
  const lanes = createChunkLanes({
    fault: ({ rule }) => told.push(`!${rule}`),
    open: ({ id }) => told.push(`+${id}`),
    continue: ({ id }) => told.push(`:${id}`),
    close: ({ id }) => told.push(`-${id}`),
  });
  for (const event of runMarbles(line)) lanes.observe(event);
  return told.join(" ");
}

describe("createChunkLanes", () => {
  it("tells of streams in the order in which their explicit events would stand", () => {
    expect(follow(`text~m text~ call~c/f text~n@s run-`)).toBe("+m :m -m +c +n -c -n");
  });

  it("says of each event whether it is a chunk, and keeps the number of open streams", () => {
    const nothing = () => undefined;
    const lanes = createChunkLanes({ fault: nothing, open: nothing, continue: nothing, close: nothing });
    const seen = runMarbles(`run+ text~m text~n@s raw= custom= run-`).map((event) => [
      lanes.observe(event),
      lanes.size,
    ]);
    expect(seen).toEqual([
      [false, 0],
      [true, 1],
      [true, 2],
      [false, 2],
      [false, 1],
      [false, 0],
    ]);
  });

  describe("after a fault tells of no second one of the same cause", () => {
    it.each([
      ["chunks whose opener never came", `text~ text~ text~ text~m text~`, "!chunk-without-id +m :m"],
      ["chunks of a subagent whose opener never came", `text~@s text~@s text~m@s`, "!chunk-without-id +m"],
      [
        "chunks between two lanes, whose opener never came",
        `text~m@s text~n@z text~ text~ text~@s`,
        "+m +n !chunk-ambiguous :m",
      ],
      ["a call that never got a name", `call~c call~c call~c/f call~c`, "!chunk-without-id +c :c :c :c"],
      ["a call with a wrong id", `call~c/f call~d call~c call~d`, "+c !chunk-without-id :c"],
      ["a call whose opener never came", `call~ call~ call~c call~c`, "!chunk-without-id +c :c"],
      ["an opener with another name", `call~c/g call~c/f call~c/f`, "+c !chunk-conflict :c :c"],
      ["an opener with another owner", `text~m@z text~m@s text~m@s`, "+m !owner-mismatch :m :m"],
      [
        "a continuation of a lane that streams another kind",
        `call~c/f text~ text~ run-`,
        "+c !chunk-without-id -c",
      ],
    ])("%s", (_title, line, told) => {
      expect(follow(line)).toBe(told);
    });
  });

  it("keeps apart hostile ids", () => {
    expect(follow(`text~__proto__ text~constructor@s text~__proto__ run-`)).toBe(
      "+__proto__ +constructor :__proto__ -__proto__ -constructor",
    );
  });
});
