import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { familyOf, PAGE } from "../src/inspector/desk";
import { place } from "../src/inspector/lanes";
import { changedNames } from "../src/inspector/panel";
import makeWidget from "../src/widgets/inspector";
import type { EventRow, InspectView, Story, ViolationView } from "../src/wire.gen";
import { EMPTY, FakeModel, settle } from "./fake_model";

const INSPECT: InspectView = {
  count: 250,
  position: 0,
  playing: false,
  speed: 1,
  live: false,
  state: null,
};
const FOUND: ViolationView = {
  rule: "text.content_unopened",
  level: "fatal",
  index: 3,
  at: 4,
  event_type: "TEXT_MESSAGE_CONTENT",
  message: "it came too early",
  expected: "a start",
  fix: "send a start",
  meaning: "starts come first",
  opened_at: 1,
  caused_by: null,
};

const row = (index: number): EventRow => ({
  index,
  time: index / 10,
  type: "TEXT_MESSAGE_CONTENT",
  id: "m",
  text: `text ${index}`,
  level: index === 3 ? "fatal" : null,
  rule: index === 3 ? FOUND.rule : "",
});

interface Shown {
  readonly model: FakeModel;
  readonly el: HTMLElement;
  readonly close: () => void;
}
const open: Shown[] = [];

async function show(inspect: Partial<InspectView> = {}): Promise<Shown> {
  const model = new FakeModel();
  model.set("_snapshot", {
    type: "snapshot",
    seq: 0,
    conversation: { ...EMPTY, inspect: { ...INSPECT, ...inspect } },
  });
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
  await settle();
  return shown;
}

function answerRows(model: FakeModel): void {
  for (const { start, count, filter } of model.ofType("rows"))
    model.tell({
      type: "rows",
      filter,
      start,
      total: filter ? 1 : 250,
      rows: filter
        ? [row(3)]
        : Array.from({ length: Math.min(count, 250 - start) }, (_, at) =>
            row(start + at),
          ),
    });
}

function tellStory(model: FakeModel): void {
  const story: Story = {
    type: "story",
    count: 250,
    spans: [
      { kind: "message", id: "m", label: "m", start: 0, end: 9 },
      { kind: "call", id: "c", label: "look", start: 4, end: null },
    ],
    violations: [FOUND],
  };
  model.tell(story);
}

async function move(model: FakeModel, inspect: Partial<InspectView>): Promise<void> {
  model.frames({ type: "put-inspect", inspect: { ...INSPECT, ...inspect } });
  await settle();
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

describe("the list of events", () => {
  it("asks for the page in sight, once, and shows what comes", async () => {
    const { model, el } = await show();
    answerRows(model);
    tellStory(model);
    await settle();
    answerRows(model);
    await settle();
    const asked = model.ofType("rows");
    expect(
      asked.every(({ start, count }) => start % PAGE === 0 && count === PAGE),
    ).toBe(true);
    expect(asked.length).toBeLessThan(5);
    expect(el.querySelectorAll(".aistream-event").length).toBeLessThan(60);
    expect(el.querySelector("#aistream-event-3")?.textContent).toContain(FOUND.rule);
    expect(el.querySelector("#aistream-event-5")?.textContent).toContain("+0.50");
  });

  it("filters in Python and forgets what it knew", async () => {
    const { model, el } = await show();
    answerRows(model);
    await settle();
    model.sent.length = 0;
    const field = el.querySelector<HTMLInputElement>(".aistream-filter");
    if (!field) throw new Error("no filter");
    field.value = "content";
    field.dispatchEvent(new Event("input", { bubbles: true }));
    await settle();
    expect(model.ofType("rows")[0]).toMatchObject({ filter: "content", start: 0 });
    answerRows(model);
    await settle();
    expect(el.querySelectorAll(".aistream-event")).toHaveLength(1);
  });

  it("goes where a row is clicked", async () => {
    const { model, el } = await show();
    answerRows(model);
    await settle();
    el.querySelector<HTMLElement>("#aistream-event-4")?.click();
    await settle();
    expect(model.ofType("seek").at(-1)?.index).toBe(5);
  });
});

describe("moving", () => {
  it("sends one wish at a time, and then only the last", async () => {
    const { model, el } = await show();
    model.obliging = false;
    const range = el.querySelector<HTMLInputElement>("input[type=range]");
    if (!range) throw new Error("no scrubber");
    for (const value of ["10", "20", "30"]) {
      range.value = value;
      range.dispatchEvent(new Event("input", { bubbles: true }));
    }
    await settle();
    expect(model.ofType("seek").map(({ index }) => index)).toEqual([10]);
    model.answer(model.ofType("seek")[0]?.id ?? "");
    await settle();
    expect(model.ofType("seek").map(({ index }) => index)).toEqual([10, 30]);
  });

  it("counts keys that come faster than answers", async () => {
    const { model, el } = await show({ position: 7 });
    model.obliging = false;
    const list = el.querySelector(".aistream-events");
    for (let times = 0; times < 3; times++)
      list?.dispatchEvent(
        new KeyboardEvent("keydown", { key: "ArrowDown", bubbles: true }),
      );
    await settle();
    model.answer(model.ofType("seek")[0]?.id ?? "");
    await settle();
    expect(model.ofType("seek").map(({ index }) => index)).toEqual([8, 10]);
  });

  it("follows the keys", async () => {
    const { model, el } = await show({ position: 7 });
    const list = el.querySelector(".aistream-events");
    const press = async (key: string): Promise<unknown> => {
      list?.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
      await settle();
      return model.ofType("seek").at(-1)?.index;
    };
    expect(await press("ArrowRight")).toBe(8);
    expect(await press("ArrowUp")).toBe(6);
    expect(await press("PageDown")).toBe(27);
    expect(await press("PageUp")).toBe(0);
    expect(await press("End")).toBe(250);
    expect(await press("Home")).toBe(0);
    await press(" ");
    expect(model.ofType("play").at(-1)).toMatchObject({ playing: true, speed: 1 });
    await press("/");
    expect(document.activeElement).toBe(el.querySelector(".aistream-filter"));
    model.sent.length = 0;
    await press("x");
    expect(model.sent).toEqual([]);
  });

  it("plays as fast as was chosen", async () => {
    const { model, el } = await show({ playing: true });
    const select = el.querySelector("select");
    if (!select) throw new Error("no speed");
    select.value = "4";
    select.dispatchEvent(new Event("change", { bubbles: true }));
    await settle();
    expect(model.ofType("play").at(-1)).toMatchObject({ playing: true, speed: 4 });
    expect(el.querySelector(".aistream-play")?.textContent).toBe("Pause");
  });
});

describe("a violation", () => {
  it("is explained at its event, with the way to where it began", async () => {
    const { model, el } = await show();
    tellStory(model);
    await move(model, { position: 4 });
    const card = el.querySelector(".aistream-violation");
    expect(card?.textContent).toContain("It came too early.");
    expect(card?.textContent).toContain("send a start");
    expect(model.ofType("event").at(-1)?.index).toBe(3);
    model.tell({
      type: "event-detail",
      index: 3,
      json_text: "{}",
      snippet: "def test(): ...",
      ghost: null,
    });
    await settle();
    expect(card?.textContent).toContain("Copy as test");
    const copied = vi.fn(async () => {});
    vi.stubGlobal("navigator", { clipboard: { writeText: copied } });
    [...(card?.querySelectorAll("button") ?? [])]
      .find((button) => button.textContent === "Copy as test")
      ?.click();
    await settle();
    expect(copied).toHaveBeenCalledWith("def test(): ...");
    expect(card?.textContent).toContain("Copied");
    const heard = () => el.querySelector("[role=status]")?.textContent;
    await vi.waitFor(() => expect(heard()).toContain("Copied."), { timeout: 4000 });
    vi.unstubAllGlobals();
    expect(card?.textContent).not.toContain("Show the fix");
    [...(card?.querySelectorAll("button") ?? [])]
      .find((button) => button.textContent?.includes("Go to event 1"))
      ?.click();
    await settle();
    expect(model.ofType("seek").at(-1)?.index).toBe(2);
    await move(model, { position: 5 });
    expect(el.querySelector(".aistream-violation")).toBeNull();
  });

  it("is found from anywhere", async () => {
    const { model, el } = await show({ position: 100 });
    tellStory(model);
    await settle();
    el.querySelector<HTMLElement>(".aistream-found")?.click();
    await settle();
    expect(model.ofType("seek").at(-1)?.index).toBe(4);
  });
});

describe("what is known", () => {
  it("marks what changed in the shared state", async () => {
    const { model, el } = await show({ state: '{"a": 1, "b": 1}' });
    await move(model, { position: 2, state: '{"a": 2, "b": 1}' });
    const marked = [...el.querySelectorAll(".aistream-changed")];
    expect(marked.map((one) => one.textContent)).toEqual(["a2"]);
  });

  it("asks for spans again when events came", async () => {
    const { model } = await show({ live: true });
    const before = model.ofType("story").length;
    await move(model, { count: 260 });
    await new Promise((resolve) => setTimeout(resolve, 800));
    expect(model.ofType("story").length).toBe(before + 1);
  });

  it("compares only objects", () => {
    expect(changedNames(undefined, [1])).toEqual(new Set());
    expect(changedNames([1], { a: 1 })).toEqual(new Set(["a"]));
  });
});

describe("lanes", () => {
  it("stand in the first row with room", () => {
    const span = (start: number, end: number | null) =>
      ({ kind: "call", id: "", label: "", start, end }) as const;
    const rows = place([span(0, 4), span(2, 3), span(5, null), span(6, 7)], 10);
    expect(rows.map(({ row }) => row)).toEqual([0, 1, 0, 1]);
  });

  it("are coloured by family", () => {
    expect(
      [
        "TEXT_MESSAGE_END",
        "TOOL_CALL_END",
        "REASONING_END",
        "RUN_ERROR",
        "STATE_DELTA",
        "X",
      ].map(familyOf),
    ).toEqual(["text", "call", "thought", "run", "state", "other"]);
  });
});

it("lets go of everything", async () => {
  const { model, close } = await show();
  open.splice(0);
  close();
  expect(model.listeners).toBe(0);
});
