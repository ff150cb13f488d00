import type { StandardSchemaV1 } from "@standard-schema/spec";
import { of } from "rxjs";
import { z } from "zod";
import * as mini from "zod/mini";
import { tool, toProtocolTool, type ExecutableTool, type JsonSchema } from "../index.js";

/** A Standard Schema without zod: no JSON Schema of its own. */
const anyCity: StandardSchemaV1<unknown, { city: string }> = {
  "~standard": { version: 1, vendor: "test", validate: (value) => ({ value: value as { city: string } }) },
};
const cityJson: JsonSchema = { type: "object", properties: { city: { type: "string" } } };
const rest = { name: "f", description: "d", execute: () => 1 };

/** Compiles when both are the same type. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const exactly =
  <T>() =>
  <U>(_value: U, ..._same: Same<T, U> extends true ? [] : [never]) =>
    undefined;

describe("tool", () => {
  it("says the input side of a zod schema as JSON Schema, as zod itself does", () => {
    const parameters = z.object({ city: z.string(), days: z.coerce.number().default(3) });
    expect(toProtocolTool(tool({ ...rest, parameters }))).toEqual({
      name: "f",
      description: "d",
      parameters: z.toJSONSchema(parameters, { io: "input" }),
    });
  });

  it("takes any Standard Schema together with its JSON Schema", () => {
    expect(toProtocolTool(tool({ ...rest, parameters: anyCity, jsonSchema: cityJson })).parameters).toBe(
      cityJson,
    );
    const parameters = mini.object({ city: mini.string() });
    const jsonSchema = z.toJSONSchema(parameters, { io: "input" });
    expect(toProtocolTool(tool({ ...rest, parameters, jsonSchema })).parameters).toBe(jsonSchema);
  });

  it.each<[string, StandardSchemaV1, RegExp]>([
    ["that has none", anyCity, /"f" give no JSON Schema\. Pass `jsonSchema`/],
    ["of zod/mini", mini.object({}), /give no JSON Schema/],
    ["that JSON has no word for", z.object({ at: z.date() }), /Date cannot be represented/],
  ])("refuses a schema %s, and says what to do", (_title, parameters, message) => {
    const make = () => tool({ ...rest, parameters });
    expect(make).toThrow(message);
    expect(make).toThrow(expect.objectContaining({ name: "ToolUsageError", code: "no-json-schema" }));
  });

  it("infers the arguments from the schema", () => {
    tool({
      name: "f",
      description: "d",
      parameters: z.object({ city: z.string(), days: z.string().transform(Number) }),
      needsApproval: (args) => {
        exactly<{ city: string; days: number }>()(args);
        return args.days > 1;
      },
      execute: (args, { call, signal, input }) => {
        exactly<{ city: string; days: number }>()(args);
        exactly<{ city: string; days: number }>()(call.args);
        exactly<AbortSignal>()(signal);
        exactly<string | undefined>()(input?.threadId);
        return of(args.city);
      },
    });
    tool({
      ...rest,
      parameters: anyCity,
      jsonSchema: cityJson,
      execute: (args) => {
        exactly<{ city: string }>()(args);
      },
    });
    tool({
      ...rest,
      parameters: z.object({ city: z.string() }),
      // @ts-expect-error the schema has no such member
      execute: ({ town }) => town as string,
    });
    const unlike: ExecutableTool[] = [
      tool({ ...rest, parameters: z.object({ a: z.string() }), execute: ({ a }) => a }),
      tool({ ...rest, parameters: z.object({ b: z.number() }), execute: ({ b }) => b }),
    ];
    expect(unlike).toHaveLength(2);
  });
});
