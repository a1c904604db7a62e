/**
 * Markdown to tokens: markdown-it with HTML off, plus math.
 *
 * Raw HTML in a model's text is text. Addresses other than http, https and mailto
 * are not links. What the tokens become is decided in `nodes.ts`.
 */
import createParser, {
  type MarkdownIt,
  type StateBlock,
  type StateInline,
  type Token,
} from "markdown-it";

export type { Token };
/** What link definitions were seen, by label. */
export type References = Record<string, { href: string; title: string }>;

const SAFE_LINK = /^(https?:|mailto:)/i;
const SAFE_IMAGE = /^(https?:|data:image\/(png|jpe?g|gif|webp|avif);base64,)/i;

/** Whether an address may become a link. */
export function isSafeLink(address: string): boolean {
  return SAFE_LINK.test(address);
}

/** Whether an address may become an image, at once or after a click. */
export function isSafeImage(address: string): boolean {
  return SAFE_IMAGE.test(address);
}

const DOLLAR = 0x24;
const BACKSLASH = 0x5c;

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0a || Number.isNaN(code);
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** `$…$` as pandoc reads it: no space inside the dollars, no digit after them. */
function endOfDollars(source: string, start: number, limit: number): number {
  if (isSpace(source.charCodeAt(start))) return -1;
  for (
    let at = source.indexOf("$", start);
    at !== -1;
    at = source.indexOf("$", at + 1)
  ) {
    if (at >= limit || at === start) return -1;
    if (source.charCodeAt(at - 1) === BACKSLASH) continue;
    if (isSpace(source.charCodeAt(at - 1)) || isDigit(source.charCodeAt(at + 1)))
      continue;
    return at;
  }
  return -1;
}

function inlineMath(state: StateInline, silent: boolean): boolean {
  const { src: source, pos: from, posMax: limit } = state;
  const opener = openerAt(source, from);
  if (!opener) return false;
  const start = from + opener.open.length;
  const end =
    opener.shut === "$"
      ? endOfDollars(source, start, limit)
      : source.indexOf(opener.shut, start);
  if (end === -1 || end === start || end + opener.shut.length > limit) return false;
  if (!silent) {
    const token = state.push("math_inline", "math", 0);
    token.content = source.slice(start, end);
    token.markup = opener.open;
  }
  state.pos = end + opener.shut.length;
  return true;
}

function openerAt(source: string, at: number): { open: string; shut: string } | null {
  const code = source.charCodeAt(at);
  if (code === DOLLAR)
    return source.startsWith("$$", at)
      ? { open: "$$", shut: "$$" }
      : { open: "$", shut: "$" };
  if (code !== BACKSLASH) return null;
  if (source.startsWith("\\(", at)) return { open: "\\(", shut: "\\)" };
  if (source.startsWith("\\[", at)) return { open: "\\[", shut: "\\]" };
  return null;
}

const BLOCKS: readonly (readonly [string, string])[] = [
  ["$$", "$$"],
  ["\\[", "\\]"],
];

/** A formula that begins its line and ends a line. */
function blockMath(
  state: StateBlock,
  startLine: number,
  endLine: number,
  silent: boolean,
): boolean {
  const lineStart = (line: number): number =>
    (state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0);
  const textOf = (line: number): string =>
    state.src.slice(lineStart(line), state.eMarks[line] ?? 0);
  if ((state.sCount[startLine] ?? 0) - state.blkIndent >= 4) return false;
  const first = textOf(startLine);
  const pair = BLOCKS.find(([open]) => first.startsWith(open));
  if (!pair) return false;
  const [open, shut] = pair;
  const rest = first.slice(open.length).trimEnd();
  let last = startLine;
  if (!(rest.length > 0 && rest.endsWith(shut))) {
    if (rest.includes(shut)) return false;
    for (last++; last < endLine; last++) {
      if ((state.sCount[last] ?? 0) < state.blkIndent) return false;
      if (textOf(last).trimEnd().endsWith(shut)) break;
    }
    if (last >= endLine) return false;
  }
  if (silent) return true;
  const body = state.getLines(startLine, last + 1, state.blkIndent, false).trim();
  const token = state.push("math_block", "math", 0);
  token.content = body.slice(open.length, -shut.length).trim();
  token.map = [startLine, last + 1];
  state.line = last + 1;
  return true;
}

function makeParser(): MarkdownIt {
  const parser = new createParser({ html: false, linkify: true, maxNesting: 60 });
  parser.validateLink = (address) => isSafeLink(address) || isSafeImage(address);
  parser.inline.ruler.before("escape", "math", inlineMath);
  parser.block.ruler.before("fence", "math", blockMath, {
    alt: ["paragraph", "reference", "blockquote", "list"],
  });
  return parser;
}

const PARSER = makeParser();

/** The tokens of a text; definitions that it holds are added to `references`. */
export function parse(text: string, references: References): Token[] {
  return PARSER.parse(text, { references });
}

/** The block tokens of a text, without what is inside them. */
export function parseBlocks(text: string, references: References): Token[] {
  const tokens: Token[] = [];
  PARSER.block.parse(text, PARSER, { references }, tokens);
  return tokens;
}

/** A parser for what is inside of blocks that were found already. */
const INSIDE = makeParser().disable(["normalize", "block"]);

/** Read what is inside of the blocks of `parseBlocks`, and give them back. */
export function parseInline(blocks: Token[], references: References): Token[] {
  const state = new INSIDE.core.State("", INSIDE, { references });
  state.tokens = blocks;
  INSIDE.core.process(state);
  return state.tokens;
}

/** Add the definitions of a text to `references`. */
export function collectReferences(text: string, references: References): void {
  if (text.includes("]:")) parseBlocks(text, references);
}

/** The text with one kind of line end and without NUL, as the parser reads it. */
export function normalize(text: string): string {
  if (!/[\r\0]/.test(text)) return text;
  return text.replace(/\r\n?/g, "\n").replaceAll("\0", "\ufffd");
}
