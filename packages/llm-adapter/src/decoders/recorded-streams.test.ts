import { encodeSse, type AGUIEvent, type ToolCall } from "@agrx/core";
import { cutEverywhere } from "@agrx/core/testing";
import { verify } from "@agrx/verify";
import { EventSourceParserStream } from "eventsource-parser/stream";
import { concat, from, of } from "rxjs";
import { isProviderError } from "../provider-error.js";
import { toEvents } from "../to-events.js";
import { decode, type Decoded } from "./decode.fixture.js";
import { peerReadings, recordings, type PeerReading, type Recording } from "./recordings.fixture.js";
