import type { RawMessageStreamEvent } from "@anthropic-ai/sdk/resources/messages";
import type { BetaRawMessageStreamEvent } from "@anthropic-ai/sdk/resources/beta/messages";
import type { ConverseStreamOutput } from "@aws-sdk/client-bedrock-runtime";
import type { GenerateContentResponse } from "@google/genai";
import type { AIMessageChunk } from "@langchain/core/messages";
import type { CompletionChunk, CompletionEvent } from "@mistralai/mistralai/models/components";
import type { TextStreamPart, ToolSet, UIMessageChunk } from "ai";
import type { Cohere } from "cohere-ai";
import type { ChatResponse } from "ollama";
import type { ChatCompletionChunk } from "openai/resources/chat/completions";
import type { ResponseStreamEvent } from "openai/resources/responses/responses";
import { EMPTY, type Observable } from "rxjs";
import type { Delta } from "../delta.js";
import {
  aiSdk,
  anthropic,
  bedrock,
  cohere,
  gemini,
  langchain,
  mistral,
  ollama,
  openaiChat,
  openaiResponses,
} from "./index.js";

/** A stream of an SDK's own chunks. */
const streamOf = <Chunk>(): Observable<Chunk> => EMPTY;

// The compiler is the test: each official SDK's stream pipes into its decoder without a cast.
const streams: readonly Observable<Delta>[] = [
  streamOf<ChatCompletionChunk>().pipe(openaiChat()),
  streamOf<ResponseStreamEvent>().pipe(openaiResponses()),
  streamOf<RawMessageStreamEvent>().pipe(anthropic()),
  streamOf<BetaRawMessageStreamEvent>().pipe(anthropic()),
  streamOf<GenerateContentResponse>().pipe(gemini()),
  streamOf<ConverseStreamOutput>().pipe(bedrock()),
  streamOf<CompletionEvent>().pipe(mistral()),
  streamOf<CompletionChunk>().pipe(mistral()),
  streamOf<Cohere.V2ChatStreamResponse>().pipe(cohere()),
  streamOf<ChatResponse>().pipe(ollama()),
  streamOf<TextStreamPart<ToolSet>>().pipe(aiSdk()),
  streamOf<UIMessageChunk>().pipe(aiSdk()),
  streamOf<AIMessageChunk>().pipe(langchain()),
];

it("takes the chunks of the official SDKs as they are typed", () => expect(streams).toHaveLength(13));
