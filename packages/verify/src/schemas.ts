/**
 * The opt-in gate that checks the fields of events with the protocol's own zod schemas.
 *
 * @packageDocumentation
 */
import { EventSchemas } from "@ag-ui/core/schemas";
import type { AGUIEvent } from "@agrx/core";
import type { EventMalformation, EventSchemas as Gate } from "./options.js";

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
export const schemas: Gate = {
  check(event: AGUIEvent): EventMalformation | undefined {
    const { error } = EventSchemas.safeParse(event);
    if (error) return malformation(error.issues);
    const { encryptedValueType } = event as { readonly encryptedValueType?: unknown };
    if (encryptedValueType === undefined || typeof encryptedValueType === "string") return undefined;
    return { path: "encryptedValueType", message: "Invalid input: expected string" };
  },
};

function malformation(issues: readonly Issue[]): EventMalformation {
  let [issue] = issues;
  const path: PropertyKey[] = [];
  while (issue) {
    path.push(...issue.path);
    // The member of the union that came furthest is the one that was meant.
    const [meant] = (issue.errors ?? []).flat().sort((a, b) => b.path.length - a.path.length);
    if (meant === undefined) break;
    issue = meant;
  }
  return { path: path.map(String).join("."), message: issue?.message ?? "Invalid input" };
}
