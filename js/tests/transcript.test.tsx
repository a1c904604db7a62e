import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { finishIdleWork } from "../src/idle";
import makeWidget from "../src/widgets/transcript";
import type { Frame, PartView } from "../src/wire.gen";
import { APPROVAL, CALL, EMPTY, FakeModel, RUN, settle } from "./fake_model";

interface Shown {
  readonly model: FakeModel;
  readonly el: HTMLElement;
  readonly close: () => void;
}

const open: Shown[] = [];

function show(model = new FakeModel()): Shown {
  const widget = makeWidget();
  const end = widget.initialize({ model });
  const el = document.createElement("div");
  document.body.append(el);
  const leave = widget.render({ model, el });
  const shown = {
    model,
    el,
    close: () => {
      leave();
      end();
    },
  };
  open.push(shown);
  return shown;
}

beforeEach(() => {
  vi.stubGlobal("requestAnimationFrame", (draw: () => void) => setTimeout(draw, 0));
  vi.stubGlobal("cancelAnimationFrame", (timer: number) => clearTimeout(timer));
});
afterEach(() => {
  for (const shown of open.splice(0)) shown.close();
  document.body.replaceChildren();
  vi.unstubAllGlobals();
});

const message = (id: string, role: "user" | "assistant", ...parts: PartView[]) => ({
  id,
  role,
  parts,
  turn: null,
});
const text = (words: string, done = false): PartView => ({
  kind: "text",
  text: words,
  done,
});
const call = (fields: object): Frame =>
  ({ type: "put-call", call: { ...CALL, ...fields }, arguments: null }) as Frame;

function asking(model: FakeModel, fields: object = {}): void {
  model.frames(
    { type: "open-message", message: "m", role: "assistant" },
    { type: "put-call", call: CALL, arguments: '{"path": "a.txt"}' },
    { type: "open-part", message: "m", part: { kind: "call", call: "c1" } },
    call({ status: "awaiting-approval", approval: { ...APPROVAL, ...fields } }),
    { type: "put-run", run: { ...RUN, status: "waiting" } },
  );
}

function button(el: Element, words: string): HTMLButtonElement {
  const found = [...el.querySelectorAll("button")].find((one) =>
    one.textContent?.includes(words),
  );
  if (!found) throw new Error(`no button says ${words}: ${el.textContent}`);
  return found;
}

describe("restores", () => {
  it("what the snapshot holds, and goes on from there", async () => {
    const model = new FakeModel();
    model.seq = 4;
    model.set("_snapshot", {
      type: "snapshot",
      seq: 4,
      conversation: {
        ...EMPTY,
        messages: [
          message("u", "user", text("Hello?", true)),
          message("m", "assistant", text("Well **met**")),
        ],
        run: RUN,
      },
    });
    const { el } = show(model);
    expect(el.querySelector(".aistream-user")?.textContent).toContain("Hello?");
    expect(el.querySelector("strong")?.textContent).toBe("met");
    model.frames({ type: "append-text", message: "m", part: 0, text: ", friend" });
    await settle();
    expect(el.textContent).toContain("Well met, friend");
  });

  it("a transcript that was cut, and says so", () => {
    const model = new FakeModel();
    const conversation = { ...EMPTY, cut: 12 };
    model.set("_snapshot", { type: "snapshot", seq: 1, conversation });
    expect(show(model).el.textContent).toContain("12 earlier messages left out");
  });
});

describe("streams", () => {
  it("text, and reconciles when it ends", async () => {
    const { model, el } = show();
    model.frames(
      { type: "put-run", run: RUN },
      { type: "open-message", message: "m", role: "assistant" },
      { type: "open-part", message: "m", part: text("See [a].") },
    );
    await settle();
    expect(el.querySelector(".aistream-prose")?.getAttribute("aria-busy")).toBe("true");
    model.frames(
      {
        type: "append-text",
        message: "m",
        part: 0,
        text: "\n\n[a]: https://a.example",
      },
      { type: "close-part", message: "m", part: 0, seconds: null },
    );
    await settle();
    finishIdleWork();
    expect(el.querySelector("a")?.getAttribute("href")).toBe("https://a.example");
    expect(el.querySelector(".aistream-prose")?.getAttribute("aria-busy")).toBe(
      "false",
    );
  });

  it("arguments as a tree, raw on demand", async () => {
    const { model, el } = show();
    model.frames(
      { type: "open-message", message: "m", role: "assistant" },
      { type: "put-call", call: CALL, arguments: "" },
      { type: "open-part", message: "m", part: { kind: "call", call: "c1" } },
    );
    model.frames({ type: "append-arguments", call: "c1", text: '{"path": "scra' });
    await settle();
    expect(el.querySelector(".aistream-key")?.textContent).toBe("path");
    expect(el.querySelector(".aistream-value")?.textContent).toBe("scra");
    button(el, "Raw").click();
    await settle();
    expect(el.querySelector("pre")?.textContent).toBe('{"path": "scra');
  });

  it("states of a call in words", async () => {
    const { model, el } = show();
    asking(model);
    const words = (): string =>
      el.querySelector(".aistream-call-head .aistream-state")?.textContent ?? "";
    for (const [status, expected] of [
      ["ready", "ready"],
      ["approved", "approved"],
      ["executing", "running"],
      ["complete", "done"],
      ["denied", "denied"],
      ["error", "failed"],
      ["aborted", "aborted"],
    ] as const) {
      model.frames(call({ status }));
      await settle();
      expect(words()).toBe(expected);
    }
    model.frames(call({ status: "complete", by_server: true }));
    await settle();
    expect(words()).toBe("answered by the server");
  });

  it("that nobody will decide any more, once the kernel is gone", async () => {
    const { model, el } = show();
    asking(model);
    await settle();
    const state = () => el.querySelector(".aistream-state")?.textContent;
    expect(state()).toBe("waiting for you");
    model.alive = false;
    model.emit("comm_live_update");
    await settle();
    expect(state()).toBe("was never decided");
    expect(el.querySelector(".aistream-tone-ask")).toBeNull();
    for (const [status, words] of [
      ["executing", "broken off"],
      ["approved", "never ran"],
      ["complete", "done"],
    ] as const) {
      model.frames(call({ status }));
      await settle();
      expect(state()).toBe(words);
    }
  });

  it("results as table, tree, picture and text", async () => {
    const { model, el } = show();
    asking(model);
    const result = async (value: unknown): Promise<Element> => {
      const words = typeof value === "string" ? value : JSON.stringify(value);
      model.frames(
        call({ status: "complete", result: words, started_at: 1, ended_at: 3.2 }),
      );
      await settle();
      return el.querySelector(".aistream-result") as Element;
    };
    expect(
      (await result([{ a: 1 }, { a: 2, b: "x" }])).querySelectorAll("tr"),
    ).toHaveLength(3);
    expect(el.querySelector(".aistream-time")?.textContent).toBe("2.2 s");
    model.frames(
      call({ status: "complete", result: "1", started_at: 9, waited: 7, ended_at: 9 }),
    );
    await settle();
    expect(el.querySelector(".aistream-time")?.textContent).toBe(
      "0.0 s · waited 7.0 s",
    );
    model.frames(call({ status: "denied", started_at: 1, waited: 0.4, ended_at: 3 }));
    await settle();
    expect(el.querySelector(".aistream-time")?.textContent).toBe("waited 0.4 s");
    expect((await result({ a: { b: [] } })).textContent).toContain("empty list");
    expect(
      (await result("data:image/png;base64,AAAA")).querySelector("img"),
    ).not.toBeNull();
    const mcp = [{ type: "image", data: "AAAA", mimeType: "image/png" }];
    expect((await result(mcp)).querySelector("img")).not.toBeNull();
    const svg = [{ type: "image", data: "AAAA", mimeType: "image/svg+xml" }];
    expect((await result(svg)).querySelector("img")).toBeNull();
    expect((await result("plain")).querySelector("pre")?.textContent).toBe("plain");
    expect((await result('"quoted"')).querySelector("pre")?.textContent).toBe("quoted");
    expect((await result("")).textContent).toBe("empty text");
    const long = await result("x\n".repeat(100));
    button(long, "Show all").click();
    await settle();
    expect(long.textContent).toContain("Show less");
    const rows = Array.from({ length: 30 }, (_, n) => ({ n }));
    const table = await result(rows);
    button(table, "Show all 30 rows").click();
    await settle();
    expect(table.querySelectorAll("tr")).toHaveLength(31);
  });
});

describe("decides", () => {
  it("with the call, the question and the nonce", async () => {
    const { model, el } = show();
    model.obliging = false;
    asking(model);
    await settle();
    button(el, "Approve").click();
    await settle();
    button(el, "Approve").click();
    const [decision, ...more] = model.ofType("decide");
    expect(more).toEqual([]);
    expect(decision).toMatchObject({
      call: "c1",
      approval: "a1",
      nonce: "n1",
      decision: "proceed",
      arguments: null,
      always: false,
    });
    expect(el.textContent).toContain("Sending…");
    model.answer(decision?.id ?? "", false, "Already denied by you.");
    await settle();
    expect(el.textContent).toContain("Already denied by you.");
    expect(button(el, "Approve").disabled).toBe(false);
  });

  it("and says what to do when no answer comes", async () => {
    vi.useFakeTimers();
    const { model, el } = show();
    model.obliging = false;
    asking(model, { hint: "Clicks arrive when the cell has ended." });
    await vi.advanceTimersByTimeAsync(50);
    expect(el.textContent).not.toContain("Clicks arrive when the cell has ended.");
    button(el, "Approve").click();
    await vi.advanceTimersByTimeAsync(4100);
    expect(el.textContent).toContain("Clicks arrive when the cell has ended.");
    expect(el.textContent).toContain('chat.approve("c1")');
    expect(button(el, "Approve").disabled).toBe(false);
    vi.useRealTimers();
  });

  it("without Always where it reaches nothing", async () => {
    const { model, el } = show();
    asking(model, { scope: "", danger: false });
    await settle();
    expect(el.textContent).not.toContain("Always");
  });
});

describe("escapes", () => {
  it("everything, everywhere", async () => {
    const attack = "<img src=x onerror=alert(1)>";
    const { model, el } = show();
    model.frames(
      {
        type: "put-run",
        run: { ...RUN, status: "error", error: attack, notice: attack },
      },
      { type: "open-message", message: attack, role: "user" },
      { type: "open-part", message: attack, part: text(attack, true) },
      { type: "open-message", message: "m", role: "assistant" },
      { type: "open-part", message: "m", part: text(attack) },
      {
        type: "open-part",
        message: "m",
        part: { kind: "thinking", text: attack, seconds: null, done: false },
      },
      {
        type: "put-call",
        call: {
          ...CALL,
          name: attack,
          title: `${attack}!`,
          reason: attack,
          status: "denied",
        },
        arguments: JSON.stringify({ [attack]: attack }),
      },
      { type: "open-part", message: "m", part: { kind: "call", call: "c1" } },
    );
    await settle();
    expect(el.querySelector("img")).toBeNull();
    expect(el.textContent?.split(attack).length).toBeGreaterThan(9);
  });
});

describe("tells", () => {
  it("why a run ended, and what can be done", async () => {
    const { model, el } = show();
    model.frames({
      type: "put-run",
      run: { ...RUN, status: "error", error: "Traceback\nOverloaded", can_retry: true },
    });
    await settle();
    expect(el.querySelector(".aistream-failure p")?.textContent).toBe("Overloaded");
    button(el, "Retry").click();
    expect(model.ofType("retry")).toHaveLength(1);
    model.frames({ type: "put-run", run: { ...RUN, status: "aborted" } });
    await settle();
    expect(el.textContent).toContain("Stopped.");
  });

  it("the facts of a turn in one quiet line", async () => {
    const { model, el } = show();
    model.frames(
      { type: "open-message", message: "m", role: "assistant" },
      { type: "open-part", message: "m", part: text("Hi", true) },
      { type: "put-run", run: { ...RUN, status: "finished" } },
      {
        type: "put-turn",
        message: "m",
        turn: {
          model: "model-1",
          first_text_seconds: 0.42,
          tokens_per_second: 87.25,
          input_tokens: 1812,
          output_tokens: 1,
        },
      },
    );
    await settle();
    expect(el.querySelector("footer span")?.textContent).toBe(
      "model-1 · first text after 0.4 s · 87.3 tokens/s · 1,812 tokens in · 1 out",
    );
  });
});

describe("lets go", () => {
  it("of every listener, and reports that nobody looks", async () => {
    const { model, el, close } = show();
    asking(model);
    await settle();
    open.splice(0);
    close();
    expect(model.listeners).toBe(0);
    expect(model.ofType("ready").at(-1)?.views).toBe(0);
    expect(el.childNodes).toHaveLength(0);
  });

  it("of one view while another stays", async () => {
    const model = new FakeModel();
    const widget = makeWidget();
    widget.initialize({ model });
    const [one, two] = [document.createElement("div"), document.createElement("div")];
    const leave = widget.render({ model, el: one });
    const stay = widget.render({ model, el: two });
    leave();
    model.frames({ type: "put-run", run: { ...RUN, notice: "Still here" } });
    await settle();
    expect(one.textContent).toBe("");
    expect(two.textContent).toContain("Still here");
    stay();
  });
});
