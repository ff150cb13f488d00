import { from, map } from "rxjs";
import { events, ofType, type AGUIEvent, EventType } from "../index.js";

describe("ofType", () => {
  it("passes only the types it was given", () => {
    const seen: string[] = [];
    const source: AGUIEvent[] = [
      events.toolCallStart({ toolCallId: "c", toolCallName: "f" }),
      events.toolCallArgs({ toolCallId: "c", delta: "{}" }),
      events.textMessageEnd({ messageId: "m" }),
    ];
    from(source)
      .pipe(
        ofType("TOOL_CALL_ARGS", EventType.TEXT_MESSAGE_END),
        map((event) => ("toolCallId" in event ? event.delta : event.messageId)),
      )
      .subscribe((value) => seen.push(value));
    expect(seen).toEqual(["{}", "m"]);
  });
});
