#!/usr/bin/env node
import { createRequire } from "node:module";
import process from "node:process";
import { runCommand } from "./run-command.js";

const { version } = createRequire(import.meta.url)("@agrx/verify/package.json") as { version: string };

// `agrx-verify ... | head` closes our output: there is nobody left to tell.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  process.exit(error.code === "EPIPE" ? 0 : 2);
});

const { stdin, stdout, stderr, env } = process;
process.exitCode = await runCommand(process.argv.slice(2), { stdin, stdout, stderr, env, version });
