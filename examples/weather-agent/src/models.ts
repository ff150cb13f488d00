import Anthropic from "@anthropic-ai/sdk";
import { anthropicMessages, googleGenAI, openai, type Model } from "@agrx/llm-adapter";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";

export const providers = ["openai", "anthropic", "gemini"] as const;
export type Provider = (typeof providers)[number];

/** The model of a provider, asked through the provider's official SDK at the local provider's address. */
export function localModel(provider: Provider, url: string): Model {
  const apiKey = "local";
  switch (provider) {
    case "openai":
      return openai(new OpenAI({ apiKey, baseURL: `${url}/v1` }), { model: "gpt-4o-mini" });
    case "anthropic":
      return anthropicMessages(new Anthropic({ apiKey, baseURL: url }), {
        model: "claude-sonnet-5",
        max_tokens: 1024,
      });
    case "gemini":
      return googleGenAI(new GoogleGenAI({ apiKey, httpOptions: { baseUrl: url } }), {
        model: "gemini-2.5-flash",
      });
  }
}

/** The model of a real provider; its SDK reads key and address from the environment. */
export function liveModel(provider: Provider, model?: string): Model {
  switch (provider) {
    case "openai":
      return openai(new OpenAI(), { model: model ?? "gpt-4o-mini" });
    case "anthropic":
      return anthropicMessages(new Anthropic(), { model: model ?? "claude-sonnet-5", max_tokens: 1024 });
    case "gemini":
      return googleGenAI(new GoogleGenAI({}), { model: model ?? "gemini-2.5-flash" });
  }
}
