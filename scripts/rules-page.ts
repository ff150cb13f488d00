import type { AGUIEvent } from "@agrx/core";
import { createVerifier, rules, type Rule, type RuleCase } from "@agrx/verify";

/** The page docs/rules.md, made of the rules. */
export function rulesPage(): string {
  const overview = rules.map(({ id, severity }) => [
    `[\`${id}\`](#${id})`,
    severity.producer,
    severity.consumer,
  ]);
  return `${[
    "# The ordering rules",
    "<!-- Made by `npx tsx scripts/generate-rules-page.ts` of the rules in packages/verify/src/rules. -->",
    "What `@agrx/verify` looks at. In the profile `producer` it is what an agent must not send, in `consumer`, " +
      "the default, what a client must refuse. An `error` ends the stream of `verify()` with an `OrderingError` " +
      "whose `rule` is the name here; a `warn` goes to `onWarning`; `off` is tolerated. The pages named are those " +
      "of the AG-UI specification 1.1.",
    table(["rule", "producer", "consumer"], overview),
    ...rules.map(section),
  ].join("\n\n")}\n`;
}

function section(rule: Rule): string {
  return [`## ${rule.id}`, ...[rule, ...(rule.cases ?? [])].map((each) => caseText(rule, each))].join("\n\n");
}

function caseText(rule: Rule, { summary, severity, spec, examples, input, needs }: RuleCase): string {
  const gravity = needs
    ? `Asked for by ${needs}.`
    : `Producer: ${severity.producer}. Consumer: ${severity.consumer}.`;
  const shownInput = input && `With the input \`${JSON.stringify(input)}\`.`;
  return [
    summary,
    [gravity, `Protocol: ${spec}.`, shownInput].filter(Boolean).join(" "),
    block("Legal:", examples.legal),
    block("Illegal:", examples.illegal, faultyIndex(rule, examples.illegal, input)),
  ].join("\n\n");
}

/** Where the rule is broken; undefined where the machine alone cannot tell. */
function faultyIndex(rule: Rule, stream: readonly AGUIEvent[], input: RuleCase["input"]): number | undefined {
  const indexes: number[] = [];
  const onWarning = ({ code, index }: { code: string; index?: number }) => {
    if (code === rule.id && index !== undefined) indexes.push(index);
  };
  for (const profile of ["producer", "consumer"] as const) {
    const verifier = createVerifier({ profile, onWarning, ...(input && { input }) });
    for (const violation of [...stream.map((event) => verifier.observe(event)), verifier.finish()]) {
      if (violation?.rule === rule.id) indexes.push(violation.index);
    }
  }
  return indexes[0];
}

function block(title: string, stream: readonly AGUIEvent[], faulty?: number): string {
  const lines = stream.map(({ type, ...fields }, index) => {
    const values = Object.entries(fields).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
    return `${index === faulty ? "> " : "  "}${[type, ...values].join(" ")}`;
  });
  if (faulty === stream.length) lines.push("> (the stream ends)");
  return [title, ["```text", ...lines, "```"].join("\n")].join("\n\n");
}

/** A table as prettier would align it. */
function table(head: string[], rows: string[][]): string {
  const widths = head.map((title, at) => Math.max(title.length, ...rows.map((row) => row[at]!.length)));
  const line = (cells: string[], fill = " ") =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at]!, fill)).join(" | ")} |`;
  return [
    line(head),
    line(
      widths.map(() => ""),
      "-",
    ),
    ...rows.map((row) => line(row)),
  ].join("\n");
}
