// Run by check-runtimes.mjs in each runtime: a run from its builder over bytes to its view.
import {
  connect,
  decodeSse,
  encodeSse,
  expandChunks,
  fromResponse,
  run,
  scanRun,
  toResponse,
} from "@agrx/core";
import { toToolCalls } from "@agrx/llm-adapter";
import { verify } from "@agrx/verify";
import { lastValueFrom } from "rxjs";

const input = {
  threadId: "thread",
  runId: "run",
  messages: [],
  tools: [],
  context: [],
  state: {},
  forwardedProps: {},
};
const agent = (request) =>
  run(
    request,
    async (ctx) => {
      const message = ctx.openMessage();
      message.content("Hel");
      await Promise.resolve();
      message.content("lo");
      message.end();
      ctx.setState({ done: true });
    },
    { guard: verify({ profile: "producer", input: request }) },
  );
const client = () => (events$) => events$.pipe(expandChunks(), verify(), scanRun());

const views = {
  bytes: await lastValueFrom(agent(input).pipe(encodeSse(), decodeSse(), client())),
  "a Response": await lastValueFrom(fromResponse(toResponse(agent(input))).pipe(client())),
  connect: await lastValueFrom(
    connect({
      url: "http://agent.example/",
      fetch: async (_url, request) => toResponse(agent(JSON.parse(request.body))),
    })(input).pipe(client()),
  ),
};
for (const [way, view] of Object.entries(views)) {
  const seen = JSON.stringify([view.status, view.messages.map((message) => message.content), view.state]);
  if (seen !== '["finished",["Hello"],{"done":true}]') throw new Error(`by ${way}: ${seen}`);
}
if (typeof toToolCalls !== "function") throw new Error("@agrx/llm-adapter does not load");
console.log("the main job runs");
