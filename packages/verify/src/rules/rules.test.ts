import type { Warning } from "@agrx/core";
import { from, lastValueFrom, toArray } from "rxjs";
import { diagnose } from "../diagnose.js";
import { offeredToolsOnly } from "../offered-tools-only.js";
import type { Profile } from "../options.js";
import { schemas } from "../schemas.js";
import { verify } from "../verify.js";
import type { RuleCase } from "./rule.js";
import { rules } from "./rules.js";

const cases = rules.flatMap((rule) =>
  [rule, ...(rule.cases ?? [])].map((each) => [rule.id, each.summary, each] as const),
);

async function judge(stream: RuleCase["examples"]["legal"], profile: Profile, input: RuleCase["input"]) {
  const warnings: Warning[] = [];
  const options = {
    profile,
    onWarning: (warning: Warning) => warnings.push(warning),
    ...(input && { input }),
  };
  const diagnoses = await lastValueFrom(from(stream).pipe(diagnose(options), toArray()));
  return {
    errors: diagnoses.flatMap(({ violations }) => violations.map(({ rule }) => rule)),
    warnings: warnings.map(({ code }) => code),
  };
}

describe.each(cases)("%s: %s", (id, _, { severity, examples, input, needs }) => {
  it.each(["producer", "consumer"] as const)("is as grave as it says in the profile %s", async (profile) => {
    const expected = {
      errors: severity[profile] === "error" ? [id] : [],
      warnings: severity[profile] === "warn" ? [id] : [],
    };
    expect(await judge(examples.illegal, profile, input)).toEqual(expected);
    expect(await judge(examples.legal, profile, input)).toEqual({ errors: [], warnings: [] });
  });

  if (needs === undefined) return;
  it("is an error where it is asked for", () => {
    const operator =
      id === "not-offered" ? offeredToolsOnly({ tools: input?.tools ?? [] }) : verify({ schemas });
    const outcomes = [examples.legal, examples.illegal].map((stream) => {
      let outcome: unknown = "legal";
      from(stream)
        .pipe(operator)
        .subscribe({ error: (error: { rule: string }) => (outcome = error.rule) });
      return outcome;
    });
    expect(outcomes).toEqual(["legal", id]);
  });
});

describe("rules", () => {
  it("has each rule once", () => {
    const ids = rules.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("says at the top of each rule what is gravest of it", () => {
    const gravity = ["off", "warn", "error"];
    for (const { severity, cases: others = [] } of rules) {
      for (const profile of ["producer", "consumer"] as const) {
        for (const other of others) {
          expect(gravity.indexOf(severity[profile])).toBeGreaterThanOrEqual(
            gravity.indexOf(other.severity[profile]),
          );
        }
      }
    }
  });
});
