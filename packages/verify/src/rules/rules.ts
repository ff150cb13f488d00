import { events, type AGUIEvent } from "@agrx/core";
import type { Rule, Severity } from "./rule.js";

const both = (severity: Severity) => ({ producer: severity, consumer: severity });
const producerOnly = { producer: "error", consumer: "off" } as const;

const started = events.runStarted({ threadId: "thread-1", runId: "run-1" });
const finished = events.runFinished({ threadId: "thread-1", runId: "run-1" });
const secondStarted = events.runStarted({ threadId: "thread-1", runId: "run-2" });
const secondFinished = events.runFinished({ threadId: "thread-1", runId: "run-2" });
const message = events.textMessageStart({ messageId: "message-1", role: "assistant" });
const words = events.textMessageContent({ messageId: "message-1", delta: "Hello" });
const messageEnd = events.textMessageEnd({ messageId: "message-1" });
const call = events.toolCallStart({ toolCallId: "call-1", toolCallName: "search" });
const callEnd = events.toolCallEnd({ toolCallId: "call-1" });
const result = events.toolCallResult({ toolCallId: "call-1", messageId: "result-1", content: "3 hits" });
const announced = events.subagentStarted({ subagentRunId: "agent-1", name: "researcher" });
const subagentEnd = events.subagentFinished({ subagentRunId: "agent-1" });

const run = (...inside: AGUIEvent[]): AGUIEvent[] => [started, ...inside, finished];
const ask = (...ids: string[]) =>
  events.runFinished({
    threadId: "thread-1",
    runId: "run-1",
    outcome: { type: "interrupt", interrupts: ids.map((id) => ({ id, reason: "approval" })) },
  });
const succeed = (outcome: object) =>
  events.runFinished({ threadId: "thread-1", runId: "run-1", outcome: outcome as { type: "success" } });
const chunk = (fields: Parameters<typeof events.textMessageChunk>[0]) => events.textMessageChunk(fields);

/**
 * The rules as data: what each forbids, how grave it is in either profile, the page of the protocol that it
 * comes from, and a stream that keeps it beside one that breaks it.
 *
 * The page docs/rules.md is made of it. A bundler leaves it out of what only verifies.
 *
 * @example
 * ```ts
 * import { rules } from "@agrx/verify";
 *
 * const rule = rules.find(({ id }) => id === "open-at-finish");
 * console.log(rule?.severity.consumer); // error
 * ```
 */
export const rules: readonly Rule[] = [
  {
    id: "not-started",
    summary: "A stream must not begin with anything but RUN_STARTED or RUN_ERROR.",
    severity: both("error"),
    spec: "events/lifecycle#the-run",
    examples: { legal: run(message, messageEnd), illegal: [message, messageEnd, finished] },
  },
  {
    id: "run-ended",
    summary:
      "After RUN_FINISHED nothing must come but RUN_STARTED or RUN_ERROR, and after RUN_ERROR nothing but RUN_STARTED.",
    severity: both("error"),
    spec: "events/lifecycle#after-a-run-closes",
    examples: {
      legal: [...run(), events.runError({ message: "The log was lost" }), secondStarted, secondFinished],
      illegal: [...run(), message],
    },
  },
  {
    id: "duplicate-run-started",
    summary: "RUN_STARTED must not come while a run is active.",
    severity: both("error"),
    spec: "events/lifecycle#several-runs-on-one-stream",
    examples: {
      legal: [...run(), secondStarted, secondFinished],
      illegal: [started, secondStarted, secondFinished],
    },
  },
  {
    id: "run-mismatch",
    summary: "RUN_FINISHED must not have another runId or threadId than the RUN_STARTED of its run.",
    severity: both("error"),
    spec: "basic/run-input#identity",
    examples: { legal: run(), illegal: [started, secondFinished] },
    cases: [
      {
        summary: "A later run of the stream must not be on another thread.",
        severity: both("error"),
        spec: "events/lifecycle#several-runs-on-one-stream",
        examples: {
          legal: [...run(), secondStarted, secondFinished],
          illegal: [
            ...run(),
            events.runStarted({ threadId: "thread-2", runId: "run-2" }),
            events.runFinished({ threadId: "thread-2", runId: "run-2" }),
          ],
        },
      },
      {
        summary: "The run that an input asks for must not have other ids than the input.",
        severity: both("error"),
        spec: "basic/run-input#identity",
        input: { threadId: "thread-1", runId: "run-1" },
        examples: { legal: run(), illegal: [secondStarted, secondFinished] },
      },
    ],
  },
  {
    id: "id-reused",
    summary: "A subagent must not be announced under an id that has ended in this run.",
    severity: both("error"),
    spec: "events/subagents#lifecycle",
    examples: {
      legal: run(
        announced,
        subagentEnd,
        events.subagentStarted({ subagentRunId: "agent-2", name: "researcher" }),
        events.subagentFinished({ subagentRunId: "agent-2" }),
      ),
      illegal: run(announced, subagentEnd, announced, subagentEnd),
    },
    cases: [
      {
        summary: "A run must not have the runId of an earlier run of its thread.",
        severity: producerOnly,
        spec: "basic#identifiers",
        examples: { legal: [...run(), secondStarted, secondFinished], illegal: [...run(), ...run()] },
      },
      {
        summary: "Two messages of a thread must not have the same id, whatever their roles.",
        severity: producerOnly,
        spec: "basic#identifiers",
        examples: {
          legal: run(message, messageEnd, call, callEnd, result),
          illegal: run(
            message,
            messageEnd,
            call,
            callEnd,
            events.toolCallResult({ toolCallId: "call-1", messageId: "message-1", content: "3 hits" }),
          ),
        },
      },
    ],
  },
  {
    id: "duplicate-start",
    summary:
      "A message, call, span or subagent must not be opened while its id is open, nor a step while its owner has it open.",
    severity: both("error"),
    spec: "basic/patterns/streaming#open-content-close",
    examples: {
      legal: run(message, messageEnd, message, messageEnd),
      illegal: run(message, message, messageEnd),
    },
  },
  {
    id: "not-open",
    summary: "What is not open must not be continued or ended.",
    severity: both("error"),
    spec: "basic/patterns/streaming#open-content-close",
    examples: { legal: run(message, words, messageEnd), illegal: run(words) },
  },
  {
    id: "reopen-conflict",
    summary:
      "A closed id must not be opened again with another role, name, toolCallName or parentMessageId: its content goes on.",
    severity: producerOnly,
    spec: "basic/patterns/streaming#open-content-close",
    examples: {
      legal: run(call, callEnd, call, callEnd),
      illegal: run(
        call,
        callEnd,
        events.toolCallStart({ toolCallId: "call-1", toolCallName: "delete" }),
        callEnd,
      ),
    },
  },
  {
    id: "unknown-id",
    summary: "A subagent must not name a parent that this run has not announced.",
    severity: both("error"),
    spec: "events/subagents#nesting-and-parallelism",
    examples: {
      legal: run(
        announced,
        subagentEnd,
        events.subagentStarted({ subagentRunId: "agent-2", name: "critic", parentSubagentRunId: "agent-1" }),
        events.subagentFinished({ subagentRunId: "agent-2" }),
      ),
      illegal: run(
        events.subagentStarted({ subagentRunId: "agent-2", name: "critic", parentSubagentRunId: "agent-1" }),
        events.subagentFinished({ subagentRunId: "agent-2" }),
      ),
    },
    cases: [
      {
        summary: "A result must not answer a call that neither the stream nor a snapshot nor the input has.",
        severity: producerOnly,
        spec: "events/tool-calls#tool_call_result",
        examples: { legal: run(call, callEnd, result), illegal: run(result) },
      },
      {
        summary: "An activity must not be updated before a snapshot has shown it.",
        severity: { producer: "error", consumer: "warn" },
        spec: "events/activity",
        examples: {
          legal: run(
            events.activitySnapshot({ messageId: "plan-1", activityType: "PLAN", content: { steps: [] } }),
            events.activityDelta({ messageId: "plan-1", activityType: "PLAN", patch: [] }),
          ),
          illegal: run(events.activityDelta({ messageId: "plan-1", activityType: "PLAN", patch: [] })),
        },
      },
      {
        summary: "An encrypted value should not name a message or call that the run has not shown.",
        severity: both("warn"),
        spec: "events/reasoning#error-handling",
        examples: {
          legal: run(
            message,
            messageEnd,
            events.reasoningEncryptedValue({
              subtype: "message",
              entityId: "message-1",
              encryptedValue: "b3BhcXVl",
            }),
          ),
          illegal: run(
            events.reasoningEncryptedValue({
              subtype: "message",
              entityId: "message-1",
              encryptedValue: "b3BhcXVl",
            }),
          ),
        },
      },
    ],
  },
  {
    id: "out-of-order",
    summary: "A call must not be answered while it is open.",
    severity: both("error"),
    spec: "events/tool-calls#tool_call_result",
    examples: { legal: run(call, callEnd, result), illegal: run(call, result, callEnd) },
    cases: [
      {
        summary: "A subagent must not be announced after events that carry its id.",
        severity: producerOnly,
        spec: "events/subagents#lifecycle",
        examples: {
          legal: run(
            announced,
            events.custom({ name: "app.note", value: 1, subagentRunId: "agent-1" }),
            subagentEnd,
          ),
          illegal: run(
            events.custom({ name: "app.note", value: 1, subagentRunId: "agent-1" }),
            announced,
            subagentEnd,
          ),
        },
      },
    ],
  },
  {
    id: "open-at-finish",
    summary:
      "A run must not finish, nor be cancelled, while a message, call, span, step or announced subagent is open.",
    severity: both("error"),
    spec: "basic/patterns/streaming#open-content-close",
    examples: {
      legal: [started, message, events.runError({ message: "The model is gone" })],
      illegal: run(message),
    },
  },
  {
    id: "owner-mismatch",
    summary: "What one agent opened must not be continued, ended, opened again or annotated by another.",
    severity: both("error"),
    spec: "events/subagents#ownership",
    examples: {
      legal: run(
        events.textMessageStart({ messageId: "message-1", role: "assistant", subagentRunId: "agent-1" }),
        words,
        messageEnd,
      ),
      illegal: run(
        message,
        events.textMessageContent({ messageId: "message-1", delta: "Hello", subagentRunId: "agent-1" }),
        messageEnd,
      ),
    },
    cases: [
      {
        summary: "A call must not belong to another agent than the message that it stands in.",
        severity: both("error"),
        spec: "events/subagents#ownership",
        examples: {
          legal: run(
            message,
            messageEnd,
            events.toolCallStart({
              toolCallId: "call-1",
              toolCallName: "search",
              parentMessageId: "message-1",
            }),
            callEnd,
          ),
          illegal: run(
            message,
            messageEnd,
            events.toolCallStart({
              toolCallId: "call-1",
              toolCallName: "search",
              parentMessageId: "message-1",
              subagentRunId: "agent-1",
            }),
            callEnd,
          ),
        },
      },
      {
        summary: "A step must not be finished by another agent than the one that started it.",
        severity: both("error"),
        spec: "events/lifecycle#steps",
        examples: {
          legal: run(
            events.stepStarted({ stepName: "plan", subagentRunId: "agent-1" }),
            events.stepFinished({ stepName: "plan", subagentRunId: "agent-1" }),
          ),
          illegal: run(
            events.stepStarted({ stepName: "plan", subagentRunId: "agent-1" }),
            events.stepFinished({ stepName: "plan" }),
          ),
        },
      },
      {
        summary: "A snapshot that leaves an activity as it is must not come from another agent.",
        severity: producerOnly,
        spec: "events/activity",
        examples: {
          legal: run(
            events.activitySnapshot({ messageId: "plan-1", activityType: "PLAN", content: {} }),
            events.activitySnapshot({
              messageId: "plan-1",
              activityType: "PLAN",
              content: {},
              replace: false,
            }),
          ),
          illegal: run(
            events.activitySnapshot({ messageId: "plan-1", activityType: "PLAN", content: {} }),
            events.activitySnapshot({
              messageId: "plan-1",
              activityType: "PLAN",
              content: {},
              replace: false,
              subagentRunId: "agent-1",
            }),
          ),
        },
      },
    ],
  },
  {
    id: "chunk-without-id",
    summary: "A chunk that continues nothing must not come without the id of what it opens.",
    severity: both("error"),
    spec: "basic/patterns/streaming#the-first-chunk",
    examples: {
      legal: run(chunk({ messageId: "message-1", delta: "Hel" }), chunk({ delta: "lo" })),
      illegal: run(
        chunk({ messageId: "message-1", delta: "Hel" }),
        events.custom({ name: "app.note", value: 1 }),
        chunk({ delta: "lo" }),
      ),
    },
    cases: [
      {
        summary: "The first chunk of a call must not come without toolCallName.",
        severity: both("error"),
        spec: "basic/patterns/streaming#the-first-chunk",
        examples: {
          legal: run(events.toolCallChunk({ toolCallId: "call-1", toolCallName: "search", delta: "{}" })),
          illegal: run(events.toolCallChunk({ toolCallId: "call-1", delta: "{}" })),
        },
      },
    ],
  },
  {
    id: "chunk-conflict",
    summary:
      "A later chunk must not give another role, name, toolCallName or parentMessageId than the first.",
    severity: both("error"),
    spec: "basic/patterns/streaming#continuation-chunks",
    examples: {
      legal: run(
        chunk({ messageId: "message-1", delta: "Hel" }),
        chunk({ messageId: "message-1", role: "assistant", delta: "lo" }),
      ),
      illegal: run(
        chunk({ messageId: "message-1", delta: "Hel" }),
        chunk({ messageId: "message-1", role: "user", delta: "lo" }),
      ),
    },
  },
  {
    id: "chunk-ambiguous",
    summary:
      "A chunk with neither id nor subagentRunId must not come while several subagents stream its kind and the parent agent does not.",
    severity: both("error"),
    spec: "basic/patterns/streaming#closing-a-chunk-stream",
    examples: {
      legal: run(
        chunk({ messageId: "message-1", subagentRunId: "agent-1", delta: "Hel" }),
        chunk({ messageId: "message-2", subagentRunId: "agent-2", delta: "Good" }),
        chunk({ subagentRunId: "agent-1", delta: "lo" }),
      ),
      illegal: run(
        chunk({ messageId: "message-1", subagentRunId: "agent-1", delta: "Hel" }),
        chunk({ messageId: "message-2", subagentRunId: "agent-2", delta: "Good" }),
        chunk({ delta: "lo" }),
      ),
    },
  },
  {
    id: "invalid-outcome",
    summary: "The outcome interrupt must not come without an interrupt.",
    severity: both("error"),
    spec: "basic/patterns/interrupt-resume",
    examples: { legal: [started, ask("question-1")], illegal: [started, ask()] },
    cases: [
      {
        summary: "Two interrupts of an outcome must not have the same id.",
        severity: both("error"),
        spec: "basic/patterns/interrupt-resume",
        examples: {
          legal: [started, ask("question-1", "question-2")],
          illegal: [started, ask("question-1", "question-1")],
        },
      },
      {
        summary:
          "A list of pendingToolCallIds must not be other than the run's calls without a result, in the order of their starts.",
        severity: producerOnly,
        spec: "events/tool-calls#frontend-tools",
        examples: {
          legal: [started, call, callEnd, succeed({ type: "success", pendingToolCallIds: ["call-1"] })],
          illegal: [
            started,
            call,
            callEnd,
            result,
            succeed({ type: "success", pendingToolCallIds: ["call-1"] }),
          ],
        },
      },
      {
        summary: "The outcome success must not have interrupts.",
        severity: producerOnly,
        spec: "events/lifecycle#run_finished",
        examples: {
          legal: [started, succeed({ type: "success" })],
          illegal: [started, succeed({ type: "success", interrupts: [{ id: "question-1" }] })],
        },
      },
      {
        summary: "An outcome must not be other than success, interrupt or cancelled.",
        severity: producerOnly,
        spec: "events/lifecycle#run_finished",
        examples: {
          legal: [started, succeed({ type: "cancelled" })],
          illegal: [started, succeed({ type: "paused" })],
        },
      },
    ],
  },
  {
    id: "frontend-tool-answered",
    summary: "An agent should not answer a call of a tool that the client offered: the client runs it.",
    severity: { producer: "warn", consumer: "off" },
    spec: "events/tool-calls#frontend-tools",
    input: { tools: [{ name: "search", description: "Searches the page" }] },
    examples: { legal: run(call, callEnd), illegal: run(call, callEnd, result) },
  },
  {
    id: "truncated",
    summary: "A stream must not end while a run is active, nor without a run.",
    severity: both("error"),
    spec: "basic/transports#truncation",
    examples: { legal: run(), illegal: [started] },
  },
  {
    id: "unknown-event",
    summary: "An event must not be of a type that the protocol does not have.",
    severity: { producer: "error", consumer: "warn" },
    spec: "events/passthrough",
    examples: {
      legal: run(events.custom({ name: "app.ping", value: 1 })),
      illegal: run({ type: "APP_PING" } as unknown as AGUIEvent),
    },
  },
  {
    id: "invalid-event",
    summary: "The fields of an event must not differ from the protocol's schema.",
    severity: both("off"),
    needs: "the option `schemas` of `@agrx/verify/schemas`",
    spec: "basic/processing",
    examples: {
      legal: run(message, words, messageEnd),
      illegal: run(
        message,
        { type: "TEXT_MESSAGE_CONTENT", messageId: "message-1", delta: 42 } as unknown as AGUIEvent,
        messageEnd,
      ),
    },
  },
  {
    id: "not-offered",
    summary: "A call must not be of a tool that the input does not offer.",
    severity: both("off"),
    needs: "the operator `offeredToolsOnly(input)`",
    spec: "events/tool-calls#frontend-tools",
    input: { tools: [{ name: "search", description: "Searches the page" }] },
    examples: {
      legal: run(call, callEnd),
      illegal: run(events.toolCallStart({ toolCallId: "call-1", toolCallName: "delete" }), callEnd),
    },
  },
];
