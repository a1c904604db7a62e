import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Line, SILENCE_MS } from "../src/model";
import { Store } from "../src/store";
import { EMPTY, FakeModel, RUN } from "./fake_model";

function connect(model = new FakeModel()): {
  model: FakeModel;
  store: Store;
  line: Line;
} {
  const store = new Store();
  const line = new Line(model, store);
  line.open();
  return { model, store, line };
}

function textOf(store: Store): string {
  const part = store.messages.value[0]?.parts.value[0];
  return part?.kind === "text" ? part.buffer.text : "";
}

const OPEN = { type: "open-message", message: "m", role: "assistant" } as const;
const PART = {
  type: "open-part",
  message: "m",
  part: { kind: "text", text: "a", done: false },
} as const;
const append = (text: string) =>
  ({ type: "append-text", message: "m", part: 0, text }) as const;

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

describe("batches", () => {
  it("are applied in order and once", () => {
    const { model, store } = connect();
    model.frames(OPEN, PART);
    model.frames(append("b"));
    model.tell({ type: "batch", seq: 2, frames: [append("b")] });
    model.tell({ type: "batch", seq: 1, frames: [OPEN] });
    expect(textOf(store)).toBe("ab");
    expect(store.messages.value).toHaveLength(1);
  });

  it("begin after the snapshot that the model holds", () => {
    const model = new FakeModel();
    const message = {
      id: "m",
      role: "assistant",
      parts: [PART.part],
      turn: null,
    } as const;
    model.set("_snapshot", {
      type: "snapshot",
      seq: 7,
      conversation: { ...EMPTY, messages: [message] },
    });
    const { store } = connect(model);
    model.tell({ type: "batch", seq: 7, frames: [append("old")] });
    model.tell({ type: "batch", seq: 8, frames: [append("b")] });
    expect(textOf(store)).toBe("ab");
  });

  it("that are missing are asked for once, and nothing is doubled by the answer", () => {
    const { model, store } = connect();
    model.frames(OPEN, PART);
    model.tell({ type: "batch", seq: 3, frames: [append("c")] });
    model.tell({ type: "batch", seq: 4, frames: [append("d")] });
    expect(model.ofType("resync")).toEqual([
      { type: "resync", have: 1, id: expect.any(String) },
    ]);
    const part = { kind: "text", text: "abcd", done: false } as const;
    model.tell({
      type: "snapshot",
      seq: 4,
      conversation: {
        ...EMPTY,
        messages: [{ id: "m", role: "assistant", parts: [part], turn: null }],
      },
    });
    model.tell({ type: "batch", seq: 5, frames: [append("e")] });
    expect(textOf(store)).toBe("abcde");
  });

  it("whose loss nothing follows are noticed by the next answer", () => {
    const { model, store } = connect();
    model.frames(OPEN, PART, { type: "put-run", run: RUN });
    model.seq = 2;
    vi.advanceTimersByTime(7000);
    expect(store.run.value.status).toBe("running");
    expect(model.ofType("resync")).toHaveLength(1);
  });

  it("are asked for again when the answer got lost as well", () => {
    const { model } = connect();
    model.tell({ type: "batch", seq: 3, frames: [] });
    vi.advanceTimersByTime(2100);
    model.tell({ type: "batch", seq: 4, frames: [] });
    expect(model.ofType("resync")).toHaveLength(2);
  });
});

describe("actions", () => {
  it("carry ids of their own and end with the answer to them", async () => {
    const { model, line } = connect();
    model.obliging = false;
    const one = line.act({ type: "stop" });
    const other = line.act({ type: "retry" });
    const [stop] = model.ofType("stop");
    const [retry] = model.ofType("retry");
    expect(stop?.id).not.toBe(retry?.id);
    model.answer(retry?.id ?? "", false, "not now");
    model.answer(stop?.id ?? "");
    expect((await one).accepted).toBe(true);
    expect(await other).toMatchObject({ accepted: false, why: "not now" });
  });

  it("are refused when the kernel is gone, those under way too", async () => {
    const { model, line } = connect();
    model.obliging = false;
    const waiting = line.act({ type: "stop" });
    model.alive = false;
    const late = line.act({ type: "retry" });
    expect((await waiting).accepted).toBe(false);
    expect((await late).why).toContain("gone");
    expect(line.state.value).toBe("gone");
  });
});

describe("the other end", () => {
  it("is told how many views there are", () => {
    const { model, line } = connect();
    const first = line.watch();
    const second = line.watch();
    first();
    second();
    expect(model.ofType("ready").map((action) => action.views)).toEqual([
      0, 1, 2, 1, 0,
    ]);
  });

  it("is silent when it never says anything, and live as soon as it does", () => {
    const model = new FakeModel();
    model.obliging = false;
    const { line } = connect(model);
    vi.advanceTimersByTime(SILENCE_MS + 10);
    expect(line.state.value).toBe("silent");
    model.frames();
    expect(line.state.value).toBe("live");
  });

  it("is found to be gone when the page is told that the line changed", () => {
    const { model, line } = connect();
    model.alive = false;
    model.emit("comm_live_update");
    expect(line.state.value).toBe("gone");
  });

  it("is not listened to any more after the end", () => {
    const { model, line } = connect();
    expect(model.listeners).toBeGreaterThan(0);
    line.close();
    expect(model.listeners).toBe(0);
    expect(vi.getTimerCount()).toBeLessThanOrEqual(1);
  });
});

describe("a notebook that is saved", () => {
  it("finds the transcript in the model, unless it is too large", () => {
    const { model, line } = connect();
    model.frames(OPEN, PART);
    line.keep(10);
    expect(model.get("_snapshot")).toBeUndefined();
    line.keep(10_000);
    expect(model.get("_snapshot")).toMatchObject({ type: "snapshot", seq: 1 });
  });
});

describe("a bundle that is loaded later", () => {
  it("comes from the kernel", async () => {
    const { model, line } = connect();
    const source = line.asset("math");
    model.tell({ type: "asset", name: "math", source: "code" });
    expect(await source).toBe("code");
  });

  it("may be refused", async () => {
    const { model, line } = connect();
    model.obliging = false;
    const source = line.asset("math");
    model.answer(model.ofType("asset")[0]?.id ?? "", false, "not built");
    await expect(source).rejects.toThrow("not built");
  });
});
