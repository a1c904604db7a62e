/**
 * A growing text as DOM: only its open end is parsed and patched.
 *
 * Theory. Lines that are complete decide where a block ends, so every block before
 * the last one is *frozen*: it is not parsed and not touched again. The open block is
 * the tail. Three shapes of tail may grow large, and each has a way to stay cheap:
 *
 * - a code fence: new text is appended until a line closes it;
 * - a list: its items freeze, except the last two (these decide if it is loose);
 * - a table: its rows freeze, except the last.
 *
 * Link definitions of frozen text are kept; the tail is parsed on top of a copy, so
 * that a half-typed definition does not stick. What cannot be known while streaming
 * (a definition that comes after its use) is put right by `finish`, which parses the
 * whole once and patches what differs.
 */
import { type Block, offsetOfLine, topBlocks } from "./blocks";
import { finishCode, growCode } from "./leaves";
import { type Node, toNodes } from "./nodes";
import {
  collectReferences,
  normalize,
  parse,
  parseBlocks,
  parseInline,
  type References,
  type Token,
} from "./parser";
import { type Begun, LONG, listsFor, Stretches } from "./stretches";

const FENCE = /^(?:[ \t]*\n)*(`{3,}|~{3,})([^\n]*)\n/;

/**
 * A tail that shrank to its last items or rows: what stands before them. In a long
 * list the count is that of the last of its lists.
 */
interface Shortened extends Begun {
  /** What a parser needs before the rest: the head of a table. */
  readonly prefix: string;
}

interface OpenFence {
  readonly marker: string;
  /** Lines before this offset do not close it. */
  scanned: number;
}

export class MarkdownStream {
  readonly #root: HTMLElement;
  readonly #stretches: Stretches;
  #references: References = {};
  /** Where the text begins that is not frozen. */
  #start = 0;
  /** How much text the DOM shows. */
  #shown = 0;
  /** Up to where complete lines were looked at. */
  #lines = 0;
  #fence: OpenFence | null = null;
  #short: Shortened | null = null;

  constructor(root: HTMLElement) {
    this.#root = root;
    this.#stretches = new Stretches(root);
  }

  /** Show a text that grew since the last time. */
  update(source: string): void {
    const text = normalize(source);
    if (text.length < this.#shown) this.#restart();
    if (text.length === this.#shown) return;
    if (this.#fence && this.#appendToFence(this.#fence, text)) return;
    this.#shown = text.length;
    this.#showTail(text);
    const lines = text.lastIndexOf("\n") + 1;
    if (lines > this.#lines) {
      this.#lines = lines;
      this.#freeze(text.slice(this.#start, lines));
    }
    this.#fence = this.#findFence(text);
  }

  /** The text is complete: make the DOM that of the whole text. */
  finish(source: string): void {
    Array.from(this.finishing(source));
  }

  /** As `finish`, in steps that are short, as long as nothing else is shown. */
  *finishing(source: string): Generator<void> {
    this.#restart();
    const references: References = {};
    const nodes: Node[] = [];
    for (const tokens of inBlocks(parseBlocks(normalize(source), references))) {
      nodes.push(...toNodes(parseInline(tokens, references)));
      yield;
    }
    yield* this.#stretches.showing(nodes);
    finishCode(this.#root);
  }

  /** Forget how far we were; should the text go on, it is read from its start. */
  #restart(): void {
    this.#references = {};
    this.#start = 0;
    this.#stretches.restart();
    this.#shown = 0;
    this.#lines = 0;
    this.#fence = null;
    this.#short = null;
  }

  #showTail(text: string): void {
    const source = (this.#short?.prefix ?? "") + text.slice(this.#start);
    const nodes = toNodes(parse(source, this.#copyOfReferences()));
    if (this.#short) this.#stretches.goOn(this.#short, nodes);
    else this.#stretches.show(nodes);
  }

  #copyOfReferences(): References {
    return Object.create(this.#references) as References;
  }

  // ---------------------------------------------------------------- freezing

  /** Freeze what the complete lines of the tail say is finished. */
  #freeze(tail: string): void {
    const whole = (this.#short?.prefix ?? "") + tail;
    const blocks = topBlocks(parseBlocks(whole, this.#copyOfReferences()));
    const last = blocks.at(-1);
    if (!last) return;
    if (blocks.length > 1) this.#freezeBlocks(whole, blocks);
    else if (last.kind === "list" && last.parts.length > 2)
      this.#shorten(whole, last, last.parts.length - 2);
    else if (last.kind === "table" && last.parts.length > 1)
      this.#shorten(whole, last, last.parts.length - 1);
  }

  #freezeBlocks(whole: string, blocks: readonly Block[]): void {
    const done = blocks.length - 1;
    const taken = this.#take(whole, blocks[done - 1]?.end ?? 0);
    const begun = this.#short?.count ?? 0;
    const count = blocks
      .slice(0, done)
      .map((block, at) => elementsOf(block, at === 0 ? begun : 0))
      .reduce((sum, elements) => sum + elements, 0);
    for (const element of this.#stretches.freeze(count)) finishCode(element);
    this.#short = null;
    // The last block may be long as well: a list after a paragraph, say.
    this.#freeze(whole.slice(taken));
  }

  #shorten(whole: string, block: Block, done: number): void {
    const before = this.#short;
    const prefix =
      block.kind === "table"
        ? (before?.prefix ?? whole.slice(0, offsetOfLine(whole, block.start + 2)))
        : "";
    this.#take(whole, block.parts[done] ?? 0);
    let count = (before?.count ?? 0) + done;
    if (block.kind === "list") {
      const full = Math.floor(count / LONG);
      for (const element of this.#stretches.freeze(full)) finishCode(element);
      count -= full * LONG;
    }
    this.#short = {
      kind: block.kind === "table" ? "table" : "list",
      count,
      prefix,
      loose: (before?.loose ?? false) || block.loose,
    };
  }

  /** Move the start of the tail to a line of `whole`; the offset of that line. */
  #take(whole: string, line: number): number {
    const taken = offsetOfLine(whole, line);
    collectReferences(whole.slice(0, taken), this.#references);
    this.#start += taken - (this.#short?.prefix.length ?? 0);
    return taken;
  }

  // ---------------------------------------------------------------- fences

  /** The fence that the tail is, if it is one and open. */
  #findFence(text: string): OpenFence | null {
    if (this.#short || !this.#stretches.isOne) return null;
    const opened = FENCE.exec(text.slice(this.#start, this.#start + 400));
    const marker = opened?.[1];
    if (!opened || !marker) return null;
    if (marker.startsWith("`") && opened[2]?.includes("`")) return null;
    const inside = text.slice(this.#start + opened[0].length);
    if (inside.split("\n").some((line) => mayClose(line, marker))) return null;
    return { marker, scanned: text.lastIndexOf("\n") + 1 };
  }

  /** Append to the open fence; false if it may have closed. */
  #appendToFence(fence: OpenFence, text: string): boolean {
    const lines = text.slice(fence.scanned).split("\n");
    if (lines.some((line) => mayClose(line, fence.marker))) return false;
    const code = this.#stretches.first;
    if (!code) return false;
    // The parser drops blanks at the very end; they wait for what follows them.
    const blank = /^[ \t]+$/.test(lines.at(-1) ?? "") ? (lines.at(-1)?.length ?? 0) : 0;
    const end = text.length - blank;
    if (end > this.#shown && !growCode(code, text.slice(this.#shown, end)))
      return false;
    fence.scanned = text.lastIndexOf("\n") + 1;
    this.#shown = Math.max(end, this.#shown);
    return true;
  }
}

function mayClose(line: string, marker: string): boolean {
  const found = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1];
  return !!found && found[0] === marker[0] && found.length >= marker.length;
}

/** How many elements a block is, if so many of its items are in the DOM already. */
function elementsOf(block: Block, begun: number): number {
  return block.kind === "list" ? listsFor(begun + block.parts.length) : 1;
}

/** The tokens of each block at the top by themselves. */
function* inBlocks(tokens: readonly Token[]): Generator<Token[]> {
  let from = 0;
  for (const [at, token] of tokens.entries()) {
    if (token.level !== 0 || token.nesting === 1) continue;
    yield tokens.slice(from, at + 1);
    from = at + 1;
  }
}
