/**
 * The opt-in gate that checks the fields of events with the protocol's own zod schemas.
 *
 * @packageDocumentation
 */
import { EventSchemas as ProtocolSchemas } from "@ag-ui/core/schemas";
import type { EventSchemas, ReportMalformation } from "./options.js";

/** An issue as zod tells it; a union's holds the issues of each of its members. */
interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly errors?: readonly (readonly Issue[])[];
}

/**
 * The protocol's published schemas, for the option `schemas` of `verify`, `diagnose` and `createVerifier`:
 * an event of a wrong shape breaks the rule `invalid-event`, and the violation has the `path`.
 *
 * Strict as the schemas are: what the protocol tells a client to strip or drop, such as an unknown role, is
 * malformed here; `parseEvents` of `@agrx/core` does the stripping. Unknown properties pass, and so does the
 * `encryptedValueType` of protocol 1.1, which the 1.0 schemas do not know. Event types that the protocol does
 * not have are not checked. Brings zod into the bundle and costs many times what the ordering rules do.
 *
 * @example
 * ```ts
 * import { from } from "rxjs";
 * import { verify } from "@agrx/verify";
 * import { schemas } from "@agrx/verify/schemas";
 *
 * const events: any[] = [{ type: "RUN_STARTED", threadId: "t", runId: 7 }];
 * from(events)
 *   .pipe(verify({ schemas }))
 *   .subscribe({ error: (error) => console.log(error.rule, error.path) }); // invalid-event runId
 * ```
 */
export const schemas: EventSchemas = {
  check(event, report) {
    const { error } = ProtocolSchemas.safeParse(event);
    const { encryptedValueType } = event as { readonly encryptedValueType?: unknown };
    if (error) reportFurthest(error.issues, report);
    else if (encryptedValueType !== undefined && typeof encryptedValueType !== "string") {
      report("encryptedValueType", "is malformed at encryptedValueType: expected string.");
    }
  },
};

/** Tells the issue of the union's member that came furthest: it is most likely the one that was meant. */
function reportFurthest(issues: readonly Issue[], report: ReportMalformation): void {
  let [issue] = issues;
  const keys: PropertyKey[] = [];
  while (issue) {
    keys.push(...issue.path);
    const [meant] = (issue.errors ?? []).flat().sort((a, b) => b.path.length - a.path.length);
    if (meant === undefined) break;
    issue = meant;
  }
  const path = keys.map(String).join(".");
  report(path, `is malformed at ${path || "its root"}: ${issue?.message ?? "Invalid input"}.`);
}
