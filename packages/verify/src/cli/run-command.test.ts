import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable, Writable } from "node:stream";
import { runMarbles } from "@agrx/core/testing";
import type { AGUIEvent } from "@agrx/core";
import { runCommand } from "./run-command.js";

const legal = runMarbles(`run+ text+m text:m"Hé" text-m run-`);
const illegal = runMarbles(`run+ text+m call:c"secret" text-m run-`);

const toJsonl = (run: AGUIEvent[]) => run.map((event) => `${JSON.stringify(event)}\n`).join("");
const toSse = (run: AGUIEvent[]) => run.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");

interface Given {
  readonly env?: Record<string, string>;
  readonly terminal?: boolean;
}

/** Runs the command on a text that comes in pieces, and gives what it wrote. */
async function run(argv: string[], input: string | Uint8Array[], { env = {}, terminal = false }: Given = {}) {
  const written = { stdout: "", stderr: "" };
  const output = (name: "stdout" | "stderr") => {
    const stream = new Writable({
      write(chunk, _encoding, done) {
        written[name] += String(chunk);
        done();
      },
    });
    return Object.assign(stream, { isTTY: terminal });
  };
  const pieces = typeof input === "string" ? [Buffer.from(input)] : input;
  const code = await runCommand(argv, {
    stdin: Readable.from(pieces),
    ...{ stdout: output("stdout"), stderr: output("stderr") },
    ...{ env, version: "1.2.3" },
  });
  return { code, ...written };
}

const findings = async (argv: string[], input: string | Uint8Array[]) => {
  const { code, stdout } = await run(["--json", ...argv], input);
  const lines = stdout.split("\n").filter((line) => line !== "");
  return { code, found: lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
};

describe("agrx-verify", () => {
  it.each([
    ["JSONL", toJsonl],
    ["SSE", toSse],
  ])("finds nothing in a legal run as %s, and exits 0", async (_name, write) => {
    expect(await run([], write(legal))).toEqual({ code: 0, stdout: "legal: 5 events\n", stderr: "" });
  });

  it("says of a violation the line, the rule, what came, how to mend it and why, and exits 1", async () => {
    const { code, stdout } = await run(["-"], toJsonl(illegal));
    expect(code).toBe(1);
    expect(stdout.split("\n")).toEqual([
      "line 3  error  not-open",
      expect.stringMatching(/^ {2}TOOL_CALL_ARGS \(event 2\) .*"c".* not open/) as string,
      expect.stringMatching(/^ {2}why: \S.* \(basic\/patterns\/streaming#open-content-close\)$/) as string,
      "illegal: 1 violation in 5 events",
      "",
    ]);
  });

  it("gives each finding as JSON on a line, and nothing else", async () => {
    expect(await findings([], toJsonl(illegal))).toMatchObject({
      code: 1,
      found: [{ line: 3, severity: "error", rule: "not-open", type: "TOOL_CALL_ARGS", id: "c", index: 2 }],
    });
  });

  it("counts the lines of SSE where an event's data begins", async () => {
    const sse = `: hello\r\n\r\nevent: message\r\ndata: {"type":"RUN_STARTED",\r\ndata: "threadId":"t","runId":"r"}\r\n\r\nid: 7\r\ndata: {"type":"TEXT_MESSAGE_END","messageId":"m"}\r\n\r\n`;
    expect(await findings([], sse)).toMatchObject({
      found: [
        { line: 8, rule: "not-open" },
        { line: 8, rule: "truncated" },
      ],
    });
  });

  it("gives the same for input that is cut anywhere", async () => {
    for (const write of [toJsonl, toSse]) {
      const bytes = Buffer.from(write(runMarbles(`run+ text+é text:é"Hé" text-è run-`)));
      const whole = await findings([], [bytes]);
      expect(whole.found.length).toBeGreaterThan(0);
      expect(
        await findings(
          [],
          [...bytes].map((byte) => Uint8Array.of(byte)),
        ),
      ).toEqual(whole);
    }
  });

  it("reads a last line and a last frame without an end, blank lines and a byte order mark", async () => {
    expect(await run([], `\n\uFEFF${toJsonl(legal).trim()}`.replace("\n\uFEFF", "\uFEFF\n"))).toMatchObject({
      code: 0,
    });
    expect(await run([], toSse(legal).trim())).toMatchObject({ code: 0 });
    expect(await run([], toJsonl(legal).replaceAll("\n", "\r\n\r\n"))).toMatchObject({ code: 0 });
  });

  it("shows warnings and exits 0", async () => {
    const unknown = toJsonl(legal).replace('"messageId"', '"later":1,"messageId"');
    expect(await findings([], unknown)).toMatchObject({
      code: 0,
      found: [{ line: 2, severity: "warning", rule: "unknown-property" }],
    });
  });

  it("goes on after a malformed event", async () => {
    const malformed = toJsonl(legal).replace('"Hé"', "3").replace("RUN_FINISHED", "RUN_STARTED");
    expect((await findings([], malformed)).found.map(({ line, rule }) => [line, rule])).toEqual([
      [3, "invalid-event"],
      [5, "duplicate-run-started"],
      [5, "truncated"],
    ]);
  });

  it("judges as the profile that is asked for", async () => {
    const unknownCall = toJsonl(runMarbles(`run+ call=nobody run-`));
    expect(await run([], unknownCall)).toMatchObject({ code: 0 });
    expect(await run(["--profile", "producer"], unknownCall)).toMatchObject({ code: 1 });
  });

  it("names a line that is no JSON, reads on, shows no payload, and exits 2", async () => {
    const { code, found } = await findings(
      [],
      toJsonl(legal).replace('{"type":"TEXT_MESSAGE_START"', "{secret"),
    );
    expect(code).toBe(2);
    expect(found[0]).toMatchObject({ line: 2, rule: "unreadable" });
    expect(found[1]).toMatchObject({ line: 3, rule: "not-open" });
    expect(JSON.stringify(found)).not.toContain("secret");
  });

  it("reports while the stream is open", async () => {
    const stdin = new PassThrough();
    const stdout = new PassThrough();
    const done = runCommand(["--json"], { stdin, stdout, stderr: new PassThrough(), env: {}, version: "" });
    stdin.write(toJsonl(illegal.slice(0, 3)));
    const [first] = await new Promise<Buffer[]>((resolve) =>
      stdout.once("data", (...args: Buffer[]) => resolve(args)),
    );
    expect(String(first)).toContain("not-open");
    stdin.end(toJsonl(illegal.slice(3)));
    expect(await done).toBe(1);
  });

  it("reads no further than its output is read", async () => {
    let read = 0;
    const line = Buffer.from(`{"type":"TEXT_MESSAGE_END","messageId":"m"}\n`.repeat(100));
    const stdin = Readable.from(
      (function* () {
        for (; read < 10_000; read++) yield line;
      })(),
    );
    const stdout = new Writable({ highWaterMark: 1000, write: () => undefined });
    void runCommand([], { stdin, stdout, stderr: new PassThrough(), env: {}, version: "" });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(read).toBeLessThan(100);
    stdin.destroy();
  });

  describe("--repair", () => {
    const faulty = runMarbles(`run+ text+m text:m"a" text-m text-m call+c/f call:c"{}" run-`);
    const mended = runMarbles(`run+ text+m text:m"a" text-m call+c/f call:c"{}" call-c run-`);

    it.each([
      ["JSONL", toJsonl],
      ["SSE", toSse],
    ])("writes the mended stream as %s, tells of each change apart, and exits 0", async (_name, write) => {
      const { code, stdout, stderr } = await run(["--repair", "--json"], write(faulty));
      const told = stderr
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as Record<string, unknown>);
      expect(stdout).toBe(write(mended));
      expect(told).toMatchObject([
        { severity: "mended", rule: "not-open", index: 4 },
        { severity: "mended", rule: "open-at-finish", index: 7 },
      ]);
      expect(code).toBe(0);
      expect(await run([], stdout)).toMatchObject({ code: 0 });
    });

    it("passes on what cannot be mended, and exits 1", async () => {
      const cut = toJsonl(runMarbles(`run+ call+c call:c"{" run-`));
      const { code, stdout, stderr } = await run(["--repair"], cut);
      expect(stdout).toBe(cut);
      expect(stderr).toMatch(/error {2}open-at-finish/);
      expect(code).toBe(1);
    });

    it("passes malformed events on as they came, and leaves out what is no JSON", async () => {
      const malformed = toJsonl(legal).replace('"Hé"', "3");
      expect(await run(["--repair"], `${malformed}{\n`)).toMatchObject({ code: 2, stdout: malformed });
    });
  });

  describe("colours", () => {
    const colored = /\u001b\[/;
    it("stand in a terminal only, and not with NO_COLOR", async () => {
      expect((await run([], toJsonl(illegal), { terminal: true })).stdout).toMatch(colored);
      expect((await run([], toJsonl(illegal))).stdout).not.toMatch(colored);
      expect(
        (await run([], toJsonl(illegal), { terminal: true, env: { NO_COLOR: "1" } })).stdout,
      ).not.toMatch(colored);
    });
  });

  describe("what it cannot read", () => {
    it.each([
      ["an array of events", "[\n{}]", "a JSON array"],
      ["another text", "<html>", "neither JSONL nor SSE"],
    ])("%s", async (_what, input, message) => {
      expect(await run([], input)).toMatchObject({
        code: 2,
        stdout: "",
        stderr: expect.stringContaining(message) as string,
      });
    });

    it.each([
      ["an unknown option", ["--nope"]],
      ["an unknown profile", ["--profile", "judge"]],
      ["two files", ["a", "b"]],
      ["a file that is not there", [join(tmpdir(), "agrx-nothing.jsonl")]],
      ["a folder", [tmpdir()]],
    ])("%s", async (_what, argv) => {
      const { code, stderr } = await run(argv, "");
      expect(code).toBe(2);
      expect(stderr).not.toBe("");
    });
  });

  it("explains itself and tells its version", async () => {
    expect(await run(["--help"], "")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("Usage: agrx-verify") as string,
    });
    expect(await run(["--version"], "")).toMatchObject({ code: 0, stdout: "1.2.3\n" });
  });

  it("calls an empty input illegal, since no run ended in it", async () => {
    expect(await findings([], "")).toMatchObject({ code: 1, found: [{ rule: "truncated" }] });
  });

  describe("as it is built", () => {
    const main = join(__dirname, "../../dist/esm/cli/main.js");
    const built = existsSync(main) ? it : it.skip;

    built("reads a file and standard input", () => {
      const folder = mkdtempSync(join(tmpdir(), "agrx-"));
      try {
        const file = join(folder, "run.jsonl");
        writeFileSync(file, toJsonl(illegal));
        const ofFile = spawnSync(process.execPath, [main, "--json", file], { encoding: "utf8" });
        const ofStdin = spawnSync(process.execPath, [main, "--json"], {
          encoding: "utf8",
          input: toJsonl(illegal),
        });
        expect(ofFile.status).toBe(1);
        expect(ofStdin).toMatchObject({ status: 1, stdout: ofFile.stdout, stderr: "" });
      } finally {
        rmSync(folder, { recursive: true });
      }
    });
  });
});
