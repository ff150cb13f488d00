import { createColors } from "picocolors";
import { rules } from "../rules/rules.js";
import type { Finding } from "./finding.js";

/** Turns findings into text. */
export interface FindingText {
  finding(finding: Finding): string;
  summary(tally: Tally): string;
}

/** How often each kind of finding was told. */
export interface Tally extends Record<Finding["severity"], number> {
  readonly events: number;
}

/** Makes the text for people: what and where in a line, below it what to do and why. */
export function createFindingText(isColored: boolean): FindingText {
  const colors = createColors(isColored);
  const label = {
    error: colors.red("error"),
    warning: colors.yellow("warning"),
    unreadable: colors.red("unreadable"),
    mended: colors.green("mended"),
  };
  return {
    finding({ line, severity, rule, message }) {
      const known = rules.find(({ id }) => id === rule);
      const why = known ? `  ${colors.dim(`why: ${known.summary} (${known.spec})`)}\n` : "";
      return `${colors.bold(`line ${line}`)}  ${label[severity]}  ${colors.bold(rule)}\n  ${message}\n${why}`;
    },
    summary({ events, error, warning, unreadable, mended }) {
      const verdict =
        unreadable > 0 ? colors.red("unreadable") : error > 0 ? colors.red("illegal") : colors.green("legal");
      const parts = [
        counted(error, "violation"),
        counted(warning, "warning"),
        counted(mended, "fault mended", "faults mended"),
        counted(unreadable, "unreadable event"),
      ].filter((part) => part !== "");
      return `${verdict}: ${parts.length > 0 ? `${parts.join(", ")} in ` : ""}${counted(events, "event") || "no event"}\n`;
    },
  };
}

function counted(count: number, one: string, several = `${one}s`): string {
  return count === 0 ? "" : `${count} ${count === 1 ? one : several}`;
}
