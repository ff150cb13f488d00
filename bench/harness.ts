/** A case of a race: does its work once; a promise is awaited, and its time counts. */
export type Case = () => unknown;

/** How a race is run and printed. */
export interface RaceOptions {
  /** Measured rounds; each runs every case once, in turn. Default 9. */
  readonly rounds?: number;
  /** Milliseconds a case for which all run in turn before the first measured round, at least twice. Default 150. */
  readonly warmup?: number;
  /** How many things one run of a case handles: the table then tells the time of one. */
  readonly count?: number;
  /** What is counted, for the table. Default "event". */
  readonly unit?: string;
}

/** A bar that a figure must not pass. */
export interface Bar {
  readonly atMost?: number;
  readonly atLeast?: number;
}

/** What a benchmark measures and prints with. */
export interface Bench {
  /**
   * Median time of each case in milliseconds. The rounds are interleaved and start with another case each
   * time, so noise and garbage fall on all alike. Prints a table; the first case is the measure of the rest.
   */
  race<Name extends string>(cases: Record<Name, Case>, options?: RaceOptions): Promise<Record<Name, number>>;
  /** Prints how many times `measure` the time (or figure) `value` is; gives the quotient. */
  ratio(label: string, value: number, measure: number, bar?: Bar): number;
  /** Prints a figure of any unit; gives it back. */
  figure(label: string, value: number, unit: string, bar?: Bar): number;
  /**
   * Runs `work` at two sizes, interleaved, and prints the exponent by which its time grows: 1 is linear.
   * The bar is of the exponent. `work(size)` prepares its input and gives the case to be measured.
   */
  growth(
    label: string,
    work: (size: number) => Case,
    sizes: readonly [small: number, large: number],
    options?: RaceOptions & Bar,
  ): Promise<number>;
  /**
   * Bytes of heap that what `build` gives keeps alive, divided by `count`. `build` may be async; its value
   * is held until the second reading.
   */
  retained(label: string, build: () => unknown, count: number, bar?: Bar): Promise<number>;
  /** Prints a line as it is. */
  note(text: string): void;
}

let over = 0;

/**
 * Runs one benchmark and prints its figures. Await it at the top level of a `*.bench.ts` file.
 *
 * @example
 * await bench("verify", async ({ race, ratio }) => {
 *   const times = await race({ map: () => drain(map((x) => x)), verify: () => drain(verify()) });
 *   ratio("verify of map", times.verify, times.map, { atMost: 6 });
 * });
 */
export async function bench(title: string, run: (bench: Bench) => void | Promise<void>): Promise<void> {
  console.log(`\n${title}`);
  await run({ race, ratio, figure, growth, retained, note });
  if (over > 0 && process.env["AGRX_BENCH_STRICT"]) process.exitCode = 1;
}

async function race<Name extends string>(
  cases: Record<Name, Case>,
  options: RaceOptions = {},
): Promise<Record<Name, number>> {
  const times = await measure(cases, options);
  const names = Object.keys(cases) as Name[];
  const width = Math.max(...names.map((name) => name.length));
  const base = times[names[0]!];
  const { count, unit = "event" } = options;
  for (const name of names) {
    const each = count === undefined ? "" : `  ${readable((times[name] * 1e6) / count, 9)} ns/${unit}`;
    const quotient = name === names[0] ? "" : `  ${asRatio(times[name] / base)}`;
    console.log(`  ${name.padEnd(width)}  ${readable(times[name], 9)} ms${each}${quotient}`);
  }
  return times;
}

async function measure<Name extends string>(
  cases: Record<Name, Case>,
  { rounds = 9, warmup = 150 }: RaceOptions,
): Promise<Record<Name, number>> {
  const names = Object.keys(cases) as Name[];
  const samples = new Map(names.map((name) => [name, [] as number[]]));
  globalThis.gc?.();
  // In turn here too: code that one case alone has warmed is faster than it is in any program.
  const start = performance.now();
  for (let runs = 0; runs < 2 || performance.now() - start < warmup * names.length; runs++) {
    for (const name of names) await cases[name]();
  }
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(round + turn) % names.length]!;
      const work = cases[name];
      // Never a full collection here: it drops optimized code, and the next run is several times slower.
      globalThis.gc?.({ type: "minor" });
      const start = performance.now();
      const result = work();
      if (isThenable(result)) await result;
      samples.get(name)!.push(performance.now() - start);
    }
  }
  return Object.fromEntries(names.map((name) => [name, median(samples.get(name)!)])) as Record<Name, number>;
}

function ratio(label: string, value: number, measureOf: number, bar: Bar = {}): number {
  const quotient = value / measureOf;
  print(label, asRatio(quotient), quotient, bar, asRatio);
  return quotient;
}

function figure(label: string, value: number, unit: string, bar: Bar = {}): number {
  print(label, `${readable(value)} ${unit}`, value, bar, (limit) => `${readable(limit)} ${unit}`);
  return value;
}

async function growth(
  label: string,
  work: (size: number) => Case,
  [small, large]: readonly [small: number, large: number],
  { atMost, atLeast, ...options }: RaceOptions & Bar = {},
): Promise<number> {
  const times = await measure({ small: work(small), large: work(large) }, { rounds: 5, ...options });
  const exponent = Math.log(times.large / times.small) / Math.log(large / small);
  const bar: Bar = { ...(atMost !== undefined && { atMost }), ...(atLeast !== undefined && { atLeast }) };
  const detail = `${readable(times.small)} ms at ${small}, ${readable(times.large)} ms at ${large}: exponent `;
  print(label, detail + exponent.toFixed(2), exponent, bar, (limit) => String(limit));
  return exponent;
}

async function retained(label: string, build: () => unknown, count: number, bar: Bar = {}): Promise<number> {
  if (!globalThis.gc) throw new Error("retained() needs node --expose-gc; `pnpm bench` passes it.");
  await build(); // first, so that code and caches are not counted
  const before = await settledHeap();
  const kept = await build();
  const bytes = (await settledHeap()) - before;
  keep(kept);
  return figure(label, bytes / count, "bytes each", bar);
}

function note(text: string): void {
  console.log(`  ${text}`);
}

function print(
  label: string,
  text: string,
  value: number,
  { atMost, atLeast }: Bar,
  show: (limit: number) => string,
): void {
  const within = (atMost === undefined || value <= atMost) && (atLeast === undefined || value >= atLeast);
  const limits = [
    ...(atMost === undefined ? [] : [`at most ${show(atMost)}`]),
    ...(atLeast === undefined ? [] : [`at least ${show(atLeast)}`]),
  ].join(", ");
  if (!within) over++;
  console.log(`  ${label}: ${text}${limits && ` (${limits}) ${within ? "ok" : "OVER"}`}`);
}

async function settledHeap(): Promise<number> {
  for (let i = 0; i < 3; i++) {
    globalThis.gc!();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return process.memoryUsage().heapUsed;
}

let lastKept: unknown;

function keep(value: unknown): void {
  lastKept = value;
  if (lastKept === keep) throw new Error("unreachable");
  lastKept = undefined;
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}

/** The middle value; of an even number of values the upper one of the two. */
export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

function asRatio(quotient: number): string {
  return quotient < 0.5 ? `1/${readable(1 / quotient)}` : `${readable(quotient)}x`;
}

function readable(value: number, width = 0): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toFixed(digits).padStart(width);
}
