import type { BetaMessageStreamParams } from "@anthropic-ai/sdk/resources/beta/messages/messages";
import type { MessageCreateParamsStreaming } from "@anthropic-ai/sdk/resources/messages/messages";
import type { ConverseStreamCommandInput } from "@aws-sdk/client-bedrock-runtime";
import type { GenerateContentParameters } from "@google/genai";
import type { ChatRequest } from "ollama";
import type { ChatCompletionCreateParamsStreaming } from "openai/resources/chat/completions";
import type { ResponseCreateParamsStreaming } from "openai/resources/responses/responses";
import type { CohereClientV2 } from "cohere-ai";
import type { ChatCompletionStreamRequest } from "@mistralai/mistralai/models/components/chatcompletionstreamrequest.js";
import {
  toAnthropic,
  toBedrock,
  toCohere,
  toGemini,
  toMistral,
  toOllama,
  toOpenAI,
  toOpenAIResponses,
} from "./index.js";

const request = { messages: [{ id: "1", role: "user" as const, content: "Hi" }] };

describe("request parts", () => {
  it("are what the official SDKs' types take", () => {
    const bodies = {
      openai: {
        model: "m",
        stream: true,
        ...toOpenAI(request),
      } satisfies ChatCompletionCreateParamsStreaming,
      responses: {
        model: "m",
        stream: true,
        ...toOpenAIResponses(request),
      } satisfies ResponseCreateParamsStreaming,
      anthropic: {
        model: "m",
        stream: true,
        max_tokens: 1,
        ...toAnthropic(request),
      } satisfies MessageCreateParamsStreaming & BetaMessageStreamParams,
      gemini: { model: "m", ...toGemini(request) } satisfies GenerateContentParameters,
      bedrock: { modelId: "m", ...toBedrock(request) } satisfies ConverseStreamCommandInput,
      mistral: { model: "m", ...toMistral(request) } satisfies ChatCompletionStreamRequest,
      cohere: { model: "m", ...toCohere(request) } satisfies Parameters<CohereClientV2["chatStream"]>[0],
      ollama: { model: "m", ...toOllama(request) } satisfies ChatRequest,
    };
    expect(Object.keys(bodies)).toHaveLength(8);
  });
});
