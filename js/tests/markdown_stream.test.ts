import createParser from "markdown-it";
import { describe, expect, it, vi } from "vitest";
import { toNodes } from "../src/markdown/nodes";
import { normalize, parse } from "../src/markdown/parser";
import { MarkdownStream } from "../src/markdown/stream";
import { Stretches } from "../src/markdown/stretches";
import { ANSWERS, commonmark } from "./corpus";

const EXAMPLES = commonmark();
const ALL = [...ANSWERS, ...EXAMPLES];

function oneShot(text: string): string {
  const root = document.createElement("div");
  new Stretches(root).show(toNodes(parse(normalize(text), {})));
  return htmlOf(root);
}

/** The markup, whichever attribute came first. */
function htmlOf(root: Element): string {
  return root.innerHTML.replace(/<ol (class="[^"]*") (start="\d+")/g, "<ol $2 $1");
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
        if (!part.includes("]:")) expect(htmlOf(root), part).toBe(oneShot(part));
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
      expect(htmlOf(root), text).toBe(oneShot(text));
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
      if (htmlOf(root) !== oneShot(text)) repaired++;
    }
    console.log(`${repaired} of 600 stitched texts were repaired at their end`);
    expect(repaired).toBeLessThan(40);
  }, 60_000);

  it("goes on after it was thought to be complete", () => {
    const { root, markdown } = stream();
    markdown.update("one **tw");
    markdown.finish("one **tw");
    markdown.update("one **two**\n\nthree");
    expect(htmlOf(root)).toBe(oneShot("one **two**\n\nthree"));
  });

  it("starts over when it became shorter", () => {
    const { root, markdown } = stream();
    markdown.update("one\n\ntwo\n\nthree");
    markdown.update("four");
    expect(htmlOf(root)).toBe(oneShot("four"));
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

/** Blocks that end: none of them is code that stays open. */
const BLOCKS = ANSWERS.filter((text) => !/^ *(```|~~~)/m.test(text))
  .join("\n\n")
  .repeat(8);

/** Items and blocks by the hundred, with what is awkward at their ends. */
const LONG_TEXTS: Readonly<Record<string, string>> = {
  "many blocks": BLOCKS,
  "a tight list": "- an item with `code`\n".repeat(300),
  "a list that becomes loose late": `${"- item\n".repeat(200)}\n- last\n\nafter\n`,
  "a numbered list": Array.from({ length: 150 }, (_, at) => `${at + 7}. item\n`).join(
    "",
  ),
  "a list of parts": "1. one\n   - inner\n\n     para\n".repeat(70),
  "lists after lists": `${"- a\n".repeat(64)}\n${"* b\n".repeat(129)}text\n\n${"1. c\n".repeat(65)}`,
  "a table": `| a | b |\n|---|--:|\n${"| 1 | *2* |\n".repeat(200)}\nafter\n`,
  "code that stays open": `\`\`\`\n${"a line of code\n".repeat(900)}`,
  "code that closes": `x\n\n\`\`\`\n${"a line of code\n".repeat(900)}\`\`\`\nafter`,
  "code without lines": `\`\`\`\n${"word ".repeat(4000)}\n\`\`\``,
};

describe("a long text", () => {
  it.each(Object.entries(LONG_TEXTS))("is the same however it came: %s", (_, text) => {
    for (const [seed, most] of [
      [3, 90],
      [5, 900],
      [8, 9000],
    ] as const) {
      const next = random(seed);
      const { root, markdown } = stream();
      for (let end = 0, round = 0; end < text.length; round++) {
        end += 1 + Math.floor(next() * most);
        markdown.update(text.slice(0, end));
        if (round % 40 === 0 && !text.includes("]:"))
          expect(htmlOf(root)).toBe(oneShot(text.slice(0, end)));
      }
      if (!text.includes("]:")) expect(htmlOf(root)).toBe(oneShot(text));
      markdown.finish(text);
      expect(htmlOf(root)).toBe(oneShot(text));
    }
  });

  it("is put right in short steps at its end", () => {
    const text = BLOCKS;
    const { root, markdown } = stream();
    markdown.update(text);
    const steps = [...markdown.finishing(text)].length;
    expect(steps).toBeGreaterThan(300);
    expect(htmlOf(root)).toBe(oneShot(text));
  });

  it("has few children at each level that grows", () => {
    for (const name of ["many blocks", "a tight list", "a table"]) {
      const { root, markdown } = stream();
      markdown.update(LONG_TEXTS[name] ?? "");
      for (const holder of root.querySelectorAll(".aistream-stretch, ul, tbody"))
        expect(holder.children.length).toBeLessThanOrEqual(64);
    }
  });

  it("numbers its items through", () => {
    const { root, markdown } = stream();
    markdown.update(LONG_TEXTS["a numbered list"] ?? "");
    const starts = [...root.querySelectorAll("ol")].map((list) => list.start);
    expect(starts).toEqual([7, 71, 135]);
  });
});

interface Work {
  /** Characters that the parser was given. */
  readonly read: number;
  /** Nodes that came, went or changed. */
  readonly touched: number;
}

/** The work for six more lines in pieces of five characters, after so many lines. */
function workAfter(lines: number, head: string, line: string): Work {
  const { root, markdown } = stream();
  const before = head + line.repeat(lines);
  markdown.update(before);
  const rules = Object.getPrototypeOf(new createParser().block);
  const parse = vi.spyOn(rules as { parse(source: string): void }, "parse");
  const observer = new MutationObserver(() => {});
  observer.observe(root, { childList: true, characterData: true, subtree: true });
  const text = before + line.repeat(6);
  for (let end = before.length; end < text.length; end += 5)
    markdown.update(text.slice(0, end + 5));
  const touched = observer
    .takeRecords()
    .reduce((sum, it) => sum + 1 + it.addedNodes.length + it.removedNodes.length, 0);
  const read = parse.mock.calls.reduce((sum, [source]) => sum + source.length, 0);
  parse.mockRestore();
  return { read, touched };
}

describe("the work for more text", () => {
  it.each([
    ["paragraphs", "", "A sentence of some words that goes on for a while.\n\n"],
    ["a list", "", "- an item with `code` and **bold** words\n"],
    ["a table", "| a | b | c |\n|---|---|---|\n", "| one | two | 3 |\n"],
    ["code", "```\n", "const value = compute(1, 2, 3);\n"],
  ])("is the same after 20 lines and after 4,000: %s", (name, head, line) => {
    const early = workAfter(20, head, line);
    const late = workAfter(4000, head, line);
    console.log(name, "per five characters:", perDelta(early), perDelta(late));
    expect(late.read).toBeLessThanOrEqual(early.read * 1.05);
    expect(late.touched).toBeLessThanOrEqual(early.touched + 6);
    expect(early.touched).toBeGreaterThan(0);

    function perDelta({ read, touched }: Work): string {
      const deltas = Math.ceil((line.length * 6) / 5);
      return `${(read / deltas).toFixed(0)} read, ${(touched / deltas).toFixed(1)} touched`;
    }
  });
});
