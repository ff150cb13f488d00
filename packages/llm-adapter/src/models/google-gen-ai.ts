import { gemini, type GeminiChunk } from "../decoders/gemini.js";
import { toGemini } from "../requests/to-gemini.js";
import { modelFrom, type Model } from "./model.js";

/** The part of the `@google/genai` client that {@link googleGenAI} calls. */
export interface GoogleGenAIClient {
  readonly models: {
    generateContentStream(params: never): PromiseLike<AsyncIterable<GeminiChunk>>;
  };
}

/** What is sent with every request; `contents`, the system instruction and the tools of the request are added. */
export interface GoogleGenAIParams {
  readonly model: string;
  readonly config?: { readonly tools?: readonly unknown[]; readonly [setting: string]: unknown };
}

/**
 * A model behind Gemini's `generateContentStream`, through the official SDK.
 *
 * @param client - a `GoogleGenAI` of the package `@google/genai`
 * @param params - model and config, such as `{ model: "gemini-2.5-flash", config: { temperature: 0 } }`
 *
 * @example
 * ```ts
 * import { agent, googleGenAI } from "@agrx/llm-adapter";
 * import { GoogleGenAI } from "@google/genai";
 *
 * const client = new GoogleGenAI({ apiKey: "..." });
 * const assistant = agent({ model: googleGenAI(client, { model: "gemini-2.5-flash" }) });
 * console.log(typeof assistant); // function
 * ```
 */
export function googleGenAI(client: GoogleGenAIClient, params: GoogleGenAIParams): Model {
  return modelFrom(
    (request, signal) => {
      const { contents, config } = toGemini(request);
      const tools = [...(params.config?.tools ?? []), ...(config.tools ?? [])];
      const body = {
        ...params,
        contents,
        config: { ...params.config, ...config, ...(tools.length > 0 ? { tools } : {}), abortSignal: signal },
      };
      return client.models.generateContentStream(body as never);
    },
    gemini(),
    { provider: "google" },
  );
}
