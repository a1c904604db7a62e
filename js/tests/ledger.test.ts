// @vitest-environment happy-dom
import { beforeEach, expect, it } from "vitest";
import ledger from "../src/widgets/ledger";

const COLUMNS = ["Call", "Tool", "Epoch", "Decisions", "Ran", "Why it did not run"];

function line(call: string, ran = "once", twice = false) {
  const rest = { tool: "look", epoch: 1, decisions: "approved, ran", why: "" };
  return { key: `1:${call}`, call, ran, twice, ...rest };
}

class Model {
  state: Record<string, unknown> = { caption: "", columns: COLUMNS, lines: [] };
  listeners = new Set<() => void>();
  get(name: string): never {
    return this.state[name] as never;
  }
  on(_name: string, callback: () => void): void {
    this.listeners.add(callback);
  }
  off(_name: string, callback: () => void): void {
    this.listeners.delete(callback);
  }
  show(...lines: unknown[]): void {
    Object.assign(this.state, { lines, caption: `caption of ${lines.length}` });
    for (const callback of this.listeners) callback();
  }
}

let model: Model;
let el: HTMLElement;
let end: () => void;

beforeEach(() => {
  model = new Model();
  el = document.createElement("div");
  end = ledger.render({ model, el });
});

const rows = () => [...el.querySelectorAll("tbody tr")];

it("says that nothing was called, and shows no empty table head", () => {
  expect(el.querySelector("thead")?.hidden).toBe(true);
  expect(rows()).toEqual([]);
});

it("names itself, its columns and its rows", () => {
  model.show(line("call_1"));
  expect(el.querySelector("caption")?.textContent).toBe("caption of 1");
  expect(el.querySelectorAll("th[scope=col]").length).toBe(6);
  expect(el.querySelector("th[scope=row]")?.textContent).toBe("call_1");
  expect(el.firstElementChild?.getAttribute("role")).toBe("region");
});

it("replaces the rows that differ and keeps the others", () => {
  model.show(line("call_1", "no"), line("call_2"));
  const [, second] = rows();
  model.show(line("call_1"), line("call_2"));
  expect(rows()[1]).toBe(second);
  expect(rows()[0]?.querySelector(".aistream-ran-once")).not.toBeNull();
  model.show(line("call_1", "2 times", true));
  expect(rows().length).toBe(1);
  expect(rows()[0]?.querySelector(".aistream-ran-twice")).not.toBeNull();
});

it("writes text and never markup", () => {
  model.show(line("<img src=x onerror=alert(1)>"));
  expect(el.querySelector("img")).toBeNull();
});

it("leaves nothing behind", () => {
  end();
  expect(model.listeners.size).toBe(0);
  expect(el.children.length).toBe(0);
});
