import { describe, expect, it } from "vitest";
import { Store } from "../src/store";
import type { Frame } from "../src/wire.gen";
import { CALL, EMPTY, RUN } from "./fake_model";

function store(...frames: Frame[]): Store {
  const made = new Store();
  for (const frame of frames) made.apply(frame);
  return made;
}

const OPEN: Frame = { type: "open-message", message: "m", role: "assistant" };
const text = (words: string): Frame => ({
  type: "open-part",
  message: "m",
  part: { kind: "text", text: words, done: false },
});
const THINKING: Frame = {
  type: "open-part",
  message: "m",
  part: { kind: "thinking", text: "hm", seconds: null, done: false },
};

describe("frames", () => {
  it("build a conversation that can be kept as one value", () => {
    const made = store(
      OPEN,
      THINKING,
      { type: "close-part", message: "m", part: 0, seconds: 2 },
      text("a"),
      { type: "append-text", message: "m", part: 1, text: "b" },
      { type: "put-call", call: CALL, arguments: "{" },
      { type: "open-part", message: "m", part: { kind: "call", call: "c1" } },
      { type: "append-arguments", call: "c1", text: "}" },
      { type: "put-run", run: RUN },
    );
    const view = made.view();
    expect(view.messages[0]?.parts).toEqual([
      { kind: "thinking", text: "hm", seconds: 2, done: true },
      { kind: "text", text: "ab", done: true },
      { kind: "call", call: "c1" },
    ]);
    expect(view.arguments).toEqual({ c1: "{}" });
    expect(view.run.status).toBe("running");
  });

  it("restore from a value what they built", () => {
    const made = store(OPEN, text("a"), {
      type: "put-call",
      call: CALL,
      arguments: "",
    });
    const again = store({ type: "reset", conversation: made.view() });
    expect(again.view()).toEqual(made.view());
  });

  it("replace, drop and cut", () => {
    const made = store(
      OPEN,
      text("a"),
      text("b"),
      {
        type: "put-part",
        message: "m",
        part: 0,
        value: { kind: "text", text: "x", done: false },
      },
      { type: "drop", message: "m", part: 1 },
    );
    expect(made.view().messages[0]?.parts).toEqual([
      { kind: "text", text: "x", done: true },
    ]);
    made.apply({ type: "drop", message: "m", part: null });
    expect(made.messages.value).toEqual([]);
  });

  it("put another kind of part in the place of one", () => {
    const media = {
      kind: "media",
      media_type: "image",
      mime: "image/png",
      source: "",
      name: "",
    } as const;
    const made = store(OPEN, text("a"), {
      type: "put-part",
      message: "m",
      part: 0,
      value: media,
    });
    expect(made.view().messages[0]?.parts).toEqual([media]);
  });

  it("about what is not there change nothing", () => {
    const made = store(
      { type: "append-text", message: "x", part: 0, text: "?" },
      { type: "append-arguments", call: "x", text: "?" },
      { type: "close-part", message: "x", part: 0, seconds: 1 },
      { type: "drop", message: "x", part: null },
      { type: "put-turn", message: "x", turn: EMPTY_TURN },
      { type: "open-part", message: "x", part: { kind: "call", call: "c" } },
      {
        type: "put-part",
        message: "x",
        part: 0,
        value: { kind: "call", call: "c" },
      },
    );
    expect(made.view()).toEqual(new Store().view());
  });

  it("keep the pieces that did not change", () => {
    const made = store(OPEN, text("a"));
    const before = made.messages.value[0];
    made.apply({ type: "append-text", message: "m", part: 0, text: "b" });
    made.apply({ type: "open-message", message: "n", role: "user" });
    expect(made.messages.value[0]).toBe(before);
  });

  it("forget every call that a reset does not name", () => {
    const made = store({ type: "put-call", call: CALL, arguments: "" });
    made.apply({ type: "reset", conversation: EMPTY });
    expect(made.calls.size).toBe(0);
  });
});

const EMPTY_TURN = {
  model: "",
  first_text_seconds: null,
  tokens_per_second: null,
  input_tokens: null,
  output_tokens: null,
};
