import type { AGUIEvent } from "../protocol/vocabulary.js";
import type { WarningOptions } from "../protocol/warning.js";
import { createFindings, describe, short, unknownKind } from "./findings.js";
import { InvalidEventError } from "./invalid-event-error.js";
import { createThinkingTranslator } from "./retired-thinking.js";
import type { Check } from "./shape.js";
import { eventShapes } from "./shapes.generated.js";
import { versionDoubt } from "./spoken-version.js";

/** Takes values from outside one by one and makes events of them, by the protocol's processing rules. */
export interface EventParser {
  /** The event; undefined when it is dropped. Throws {@link InvalidEventError}. */
  parse(value: unknown): AGUIEvent | undefined;
}

/** A parser for one stream: it counts the events, and remembers what retired ones have opened. */
export function createEventParser({ onWarning }: WarningOptions = {}): EventParser {
  const findings = createFindings();
  const thinking = createThinkingTranslator();
  let index = -1;
  // Most events are of the type of the one before: to remember its check spares a third of the time.
  let lastType: unknown;
  let lastCheck: Check | undefined;

  return {
    parse(value) {
      index++;
      const type = (value as { type?: unknown } | null | undefined)?.type;
      if (type !== lastType) {
        lastType = type;
        lastCheck = eventShapes.get(type);
      }
      return lastCheck === undefined ? parseOther(value, type) : enforce(value, type as string, lastCheck);
    },
  };

  function enforce(value: unknown, type: string, check: Check): AGUIEvent | undefined {
    const kept = check(value, findings, undefined);
    // Whatever is removed makes a copy.
    if (kept !== value || findings.malformed !== undefined) report(type);
    if (kept === unknownKind) {
      warn("unknown-value", type, `was dropped: ${findings.met} is not known here`);
      return undefined;
    }
    if (type === "RUN_STARTED") started(kept as { runId: string; protocolVersion?: string });
    return kept as AGUIEvent;
  }

  function report(type: string): void {
    const { removed, malformed } = findings;
    findings.removed = [];
    findings.malformed = undefined;
    for (const { code, path, message } of removed) warn(code, type, `${path} ${message}`, path);
    if (malformed !== undefined) refuse(type, malformed.path, malformed.message);
  }

  function started({ runId, protocolVersion }: { runId: string; protocolVersion?: string }): void {
    thinking.start(runId);
    const doubt = protocolVersion === undefined ? undefined : versionDoubt(protocolVersion);
    if (doubt !== undefined) warn("protocol-version", "RUN_STARTED", doubt, "protocolVersion");
  }

  function parseOther(value: unknown, type: unknown): AGUIEvent | undefined {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      return refuse(undefined, "", `must be an object, but is ${describe(value)}`);
    }
    if (typeof type !== "string") {
      return refuse(undefined, "type", `must be a string, but is ${describe(type)}`);
    }
    const translated = thinking.translate(value as Record<string, unknown>, type);
    const check = eventShapes.get(translated?.type);
    if (translated === undefined || check === undefined) {
      warn("unknown-event", short(type), "was dropped: the protocol does not describe it");
      return undefined;
    }
    warn("retired-shape", type, `is retired and was read as ${translated.type}`);
    return enforce(translated, translated.type, check);
  }

  function warn(code: string, type: string, what: string, path?: string): void {
    const message = `${type} (event ${index}): ${what}.`;
    onWarning?.(path === undefined ? { code, message, index } : { code, message, index, path });
  }

  function refuse(type: string | undefined, path: string, what: string): never {
    const where = `${type ?? "A value"} (event ${index})${path === "" ? "" : `: ${path}`}`;
    throw new InvalidEventError(`${where} ${what}. Have its sender mend it.`, { path, index, type });
  }
}
