import {
  LLMock,
  type ChatCompletionRequest,
  type ChatMessage,
  type MockServerOptions,
} from "@copilotkit/aimock";

/** A provider on this machine that answers as OpenAI, Anthropic and Gemini do: no key, no network. */
export interface LocalProvider {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Starts the local provider on a free port, with the model's side of one conversation.
 *
 * Its words repeat what the tools really gave, so that a broken tool shows in the last sentence.
 *
 * @param options as aimock takes them; `latency` is the pause between two chunks in milliseconds, default 12
 */
export async function startLocalProvider(options: MockServerOptions = {}): Promise<LocalProvider> {
  const provider = new LLMock({ port: 0, chunkSize: 7, latency: 12, ...options });

  provider.on({ predicate: (request) => lastAnswers(request).has("open_settings_panel") }, (request) => {
    const panel = lastAnswers(request).get("open_settings_panel");
    return {
      content: `Your settings are open at "${panel?.["open"]}". Pick Fahrenheit there if you prefer it.`,
    };
  });

  provider.on({ predicate: (request) => lastAnswers(request).has("get_weather") }, (request) => {
    const weather = lastAnswers(request).get("get_weather");
    const die = lastAnswers(request).get("roll_dice");
    return {
      content: `It is ${weather?.["celsius"]} °C and ${weather?.["sky"]} in ${weather?.["city"]}, and the die shows ${die?.["value"]}. Let me open the units for you.`,
      toolCalls: [{ name: "open_settings_panel", arguments: JSON.stringify({ tab: "units" }) }],
    };
  });

  provider.onMessage(/weather/i, {
    content: "I will look up the weather and roll the die at the same time.",
    toolCalls: [
      { name: "get_weather", arguments: JSON.stringify({ city: "Seoul", unit: "celsius" }) },
      { name: "roll_dice", arguments: JSON.stringify({ sides: 20, reason: "for luck" }) },
    ],
  });

  return { url: await provider.start(), stop: () => provider.stop() };
}

type Result = Record<string, string | number>;

/** The tool results at the end of a request, by the name of the tool. */
function lastAnswers({ messages }: ChatCompletionRequest): Map<string, Result> {
  let end = messages.length;
  while (messages[end - 1]?.role === "tool") end--;
  const calls = messages[end - 1]?.tool_calls ?? [];
  const names = new Map(calls.map((call) => [call.id, call.function.name]));
  const answers = messages.slice(end);
  return new Map(answers.map((answer) => [names.get(answer.tool_call_id ?? "") ?? "", resultOf(answer)]));
}

function resultOf({ content }: ChatMessage): Result {
  const text =
    typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? "").join("");
  return JSON.parse(text) as Result;
}
