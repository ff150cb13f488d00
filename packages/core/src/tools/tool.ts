import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec";
import type { AGUIEvent, RunAgentInput, Tool } from "../protocol/vocabulary.js";
import { ToolUsageError } from "./tool-usage-error.js";

/** The call that a tool answers, as its `execute` sees it. */
export interface RunningToolCall<Args = unknown> {
  readonly id: string;
  readonly name: string;
  /** The arguments as the schema gave them. */
  readonly args: Args;
  /** Id of the tool message that will hold the result. */
  readonly resultMessageId: string;
  /**
   * Sends an event into the stream at once, such as progress; silent once the call is answered or aborted.
   * A client's tools have no stream to send into: there it goes nowhere.
   *
   * @throws ToolUsageError for RUN_* events and for the call's own result
   */
  emit(event: AGUIEvent): void;
}

/** What `execute` gets beside the arguments. */
export interface ToolExecution<Args = unknown> {
  /** Aborts, synchronously, when nobody waits for the result any more, and when the attempt takes too long. */
  readonly signal: AbortSignal;
  readonly call: RunningToolCall<Args>;
  /** The run's input; undefined where no context was given and RUN_STARTED carried none. */
  readonly input: RunAgentInput | undefined;
}

/** Whether a call has to be approved before it runs: always, never, or by its arguments. */
export type NeedsApproval<Args> = boolean | ((args: Args) => boolean | PromiseLike<boolean>);

/** A JSON Schema as it goes on the wire. */
export type JsonSchema = Record<string, unknown>;

/** What {@link tool} makes a tool of. */
export interface ToolOptions<Schema extends StandardSchemaV1, Result> {
  /** The name by which the model calls it. */
  readonly name: string;
  /** What it does and when to call it, for the model. */
  readonly description: string;
  /**
   * What the arguments have to be: a zod schema, or any Standard Schema. With a JSON Schema of type
   * "string" the arguments are the call's text as it is: a custom tool's free text.
   */
  readonly parameters: Schema;
  /** JSON Schema of the arguments. Default: what `parameters` says of its input side, if it can. */
  readonly jsonSchema?: JsonSchema | undefined;
  /**
   * Runs the tool: gives a value, a Promise or an Observable, whose last value counts (an async iterable
   * does as an Observable). A string and a list of content parts are sent as they are, nothing as "", any
   * other value as JSON.
   */
  readonly execute: (
    args: StandardSchemaV1.InferOutput<Schema>,
    execution: ToolExecution<StandardSchemaV1.InferOutput<Schema>>,
  ) => Result;
  /** Default false. Needs a run's context: the run interrupts and {@link resumeTools} goes on. */
  readonly needsApproval?: NeedsApproval<StandardSchemaV1.InferOutput<Schema>> | undefined;
}

/** A tool that can be offered and run; without parameters, any such tool, whatever its arguments. */
export interface ExecutableTool<
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a list holds tools of unlike arguments
  Schema extends StandardSchemaV1 = any,
  Result = unknown,
> extends ToolOptions<Schema, Result> {
  readonly jsonSchema: JsonSchema;
}

/**
 * Describes a tool: what the model may call it with, and what then happens.
 *
 * The same tool is run by an agent ({@link executeTools}) or by a client ({@link answerClientTools}), and
 * offered to the other side by {@link toProtocolTool}.
 *
 * @param options - the tool; `parameters` gives the type of `execute`'s arguments
 * @throws ToolUsageError `no-json-schema` when `parameters` cannot be said as JSON Schema
 *
 * @example
 * ```ts
 * import { tool } from "@agrx/core";
 * import { z } from "zod";
 *
 * const rollDice = tool({
 *   name: "roll_dice",
 *   description: "Rolls dice and gives their sum.",
 *   parameters: z.object({ count: z.number().int().min(1), sides: z.number().default(6) }),
 *   execute: ({ count, sides }) => `${count}d${sides}`,
 * });
 * console.log(rollDice.name, Object.keys(rollDice.jsonSchema["properties"] as object)); // roll_dice [ 'count', 'sides' ]
 * ```
 */
export function tool<Schema extends StandardSchemaV1, Result>(
  options: ToolOptions<Schema, Result>,
): ExecutableTool<Schema, Result> {
  return { ...options, jsonSchema: options.jsonSchema ?? inputSchema(options) };
}

/**
 * A tool as the protocol offers it: name, description and JSON Schema of the arguments.
 *
 * @param executable - what {@link tool} gave
 *
 * @example
 * ```ts
 * import { tool, toProtocolTool } from "@agrx/core";
 * import { z } from "zod";
 *
 * const parameters = z.object({ city: z.string() });
 * const weather = tool({ name: "get_weather", description: "The weather now.", parameters, execute: () => "sunny" });
 * const { name, parameters: schema } = toProtocolTool(weather);
 * console.log(name, JSON.stringify(schema.properties)); // get_weather {"city":{"type":"string"}}
 * ```
 */
export function toProtocolTool(executable: ExecutableTool): Tool {
  const { name, description, jsonSchema } = executable;
  return { name, description, parameters: jsonSchema };
}

function inputSchema({ name, parameters }: { name: string; parameters: StandardSchemaV1 }): JsonSchema {
  const { jsonSchema } = parameters["~standard"] as Partial<StandardJSONSchemaV1.Props>;
  let cause: unknown;
  try {
    if (jsonSchema) return jsonSchema.input({ target: "draft-2020-12" });
  } catch (error) {
    cause = error;
  }
  const why = cause instanceof Error ? `: ${cause.message}` : ".";
  throw new ToolUsageError(
    "no-json-schema",
    `The parameters of tool "${name}" give no JSON Schema${why} Pass \`jsonSchema\`, ` +
      'for zod before 4.2 and zod/mini `z.toJSONSchema(parameters, { io: "input" })`.',
    { cause },
  );
}
