import { describe, expect, it } from "vitest";
import { toNodes } from "../src/markdown/nodes";
import { normalize, parse } from "../src/markdown/parser";
import { patchChildren } from "../src/markdown/patch";
import { MarkdownStream } from "../src/markdown/stream";
import { ANSWERS, commonmark } from "./corpus";

const EXAMPLES = commonmark();
const ALL = [...ANSWERS, ...EXAMPLES];

function oneShot(text: string): string {
  const root = document.createElement("div");
  patchChildren(root, toNodes(parse(normalize(text), {})));
  return root.innerHTML;
}

function stream(): { root: HTMLElement; markdown: MarkdownStream } {
  const root = document.createElement("div");
  return { root, markdown: new MarkdownStream(root) };
}

/** The same numbers each time: a small linear congruence. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

/** A text that is stitched from pieces of the corpus. */
function stitched(next: () => number): string {
  const pieces = Array.from({ length: 2 + Math.floor(next() * 5) }, () => {
    const piece = ALL[Math.floor(next() * ALL.length)] ?? "";
    return next() < 0.5 ? piece : piece.slice(0, Math.floor(next() * piece.length));
  });
  return pieces.join(next() < 0.5 ? "\n" : "");
}

describe("a growing text", () => {
  it("has CommonMark's examples to be tried on", () => {
    expect(EXAMPLES.length).toBeGreaterThan(650);
  });

  it("is at every character what the whole text would be, but for late definitions", () => {
    for (const text of ALL) {
      const { root, markdown } = stream();
      for (let end = 1; end <= text.length; end++) {
        const part = text.slice(0, end);
        markdown.update(part);
        if (!part.includes("]:")) expect(root.innerHTML, part).toBe(oneShot(part));
      }
    }
  }, 60_000);

  it("ends as the whole text would be, however it was cut", () => {
    const next = random(7);
    for (let round = 0; round < 600; round++) {
      const text = stitched(next);
      const { root, markdown } = stream();
      for (let end = 0; end < text.length; ) {
        end += 1 + Math.floor(next() * 12);
        markdown.update(text.slice(0, end));
      }
      markdown.finish(text);
      expect(root.innerHTML, text).toBe(oneShot(text));
    }
  }, 60_000);

  it("needs almost no repair at its end", () => {
    const next = random(11);
    let repaired = 0;
    for (let round = 0; round < 600; round++) {
      const text = stitched(next);
      const { root, markdown } = stream();
      for (let end = 0; end < text.length; ) {
        end += 1 + Math.floor(next() * 12);
        markdown.update(text.slice(0, end));
      }
      if (root.innerHTML !== oneShot(text)) repaired++;
    }
    console.log(`${repaired} of 600 stitched texts were repaired at their end`);
    expect(repaired).toBeLessThan(40);
  }, 60_000);

  it("goes on after it was thought to be complete", () => {
    const { root, markdown } = stream();
    markdown.update("one **tw");
    markdown.finish("one **tw");
    markdown.update("one **two**\n\nthree");
    expect(root.innerHTML).toBe(oneShot("one **two**\n\nthree"));
  });

  it("starts over when it became shorter", () => {
    const { root, markdown } = stream();
    markdown.update("one\n\ntwo\n\nthree");
    markdown.update("four");
    expect(root.innerHTML).toBe(oneShot("four"));
  });
});

describe("what is finished", () => {
  it("keeps its nodes while more text arrives", () => {
    const { root, markdown } = stream();
    markdown.update("one **bold**\n\ntwo");
    const [paragraph, open] = root.children;
    const text = open?.firstChild;
    markdown.update("one **bold**\n\ntwo and more\n\nthree");
    expect(root.children[0]).toBe(paragraph);
    expect(root.children[1]?.firstChild).toBe(text);
  });

  it("keeps the items of a long list and the rows of a long table", () => {
    for (const [line, selector] of [
      ["- item\n", "li"],
      ["| 1 | 2 |\n", "tbody tr"],
    ] as const) {
      const head = selector === "li" ? "" : "| a | b |\n|---|---|\n";
      const { root, markdown } = stream();
      markdown.update(head + line.repeat(5));
      const first = root.querySelector(selector);
      for (let count = 6; count < 40; count++)
        markdown.update(head + line.repeat(count));
      expect(root.querySelector(selector)).toBe(first);
      expect(root.querySelectorAll(selector)).toHaveLength(39);
    }
  });

  it("keeps the text of open code in one growing node", () => {
    const { root, markdown } = stream();
    markdown.update("```py\nx = 1\n");
    const node = root.querySelector("code")?.firstChild;
    markdown.update("```py\nx = 1\ny = 2\nz");
    expect(root.querySelector("code")?.firstChild).toBe(node);
    expect(root.querySelector("code")?.textContent).toBe("x = 1\ny = 2\nz");
  });
});

describe("the work for one more piece", () => {
  it.each([
    ["paragraphs", "A sentence of some words that goes on for a while.\n\n"],
    ["a list", "- an item with `code` and **bold** words\n"],
    ["a table", "| cell one | cell two | 3 |\n"],
    ["code", "const value = compute(1, 2, 3);\n"],
  ])("does not grow with what is there: %s", (name, line) => {
    const head =
      name === "a table"
        ? "| a | b | c |\n|---|---|---|\n"
        : name === "code"
          ? "```\n"
          : "";
    const cost = (lines: number): number => {
      const { markdown } = stream();
      markdown.update(head + line.repeat(lines));
      markdown.update(head + line.repeat(lines + 1));
      const from = performance.now();
      for (let more = 2; more < 40; more++)
        markdown.update(head + line.repeat(lines + more));
      return performance.now() - from;
    };
    cost(20);
    const small = Math.min(cost(20), cost(20), cost(20));
    const large = Math.min(cost(2000), cost(2000), cost(2000));
    expect(large).toBeLessThan(small * 12 + 25);
  });
});
