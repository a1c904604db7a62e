/**
 * Tokens to a small tree of what the DOM should be.
 *
 * Text is only ever text. Elements come from a closed list of tags with attributes
 * that are written here; the one attribute a model can influence is the address of a
 * link, which `parser.ts` has checked. Code, math and images are leaves that look
 * after themselves (`leaves.ts`).
 */
import { isSafeImage, isSafeLink, type Token } from "./parser";

export interface Elem {
  readonly tag: string;
  readonly attrs: Readonly<Record<string, string>>;
  readonly children: Node[];
}
export interface Leaf {
  readonly leaf: "code" | "math" | "image";
  readonly text: string;
  /** The language, the display style, or the address. */
  readonly detail: string;
}
export type Node = string | Elem | Leaf;

/** How a list is spaced; on its class, where an item with a paragraph says so. */
export const TIGHT = "aistream-tight";
export const LOOSE = "aistream-loose";

const TAGS = new Set([
  "p",
  "h1",
  "h2",
  "h3",
  "h4",
  "h5",
  "h6",
  "blockquote",
  "ul",
  "ol",
  "li",
  "table",
  "thead",
  "tbody",
  "tr",
  "th",
  "td",
  "em",
  "strong",
  "s",
  "a",
  "hr",
  "br",
  "code",
]);

/** Headings of a message sit below those of the page. */
const LOWERED: Readonly<Record<string, string>> = {
  h1: "h3",
  h2: "h4",
  h3: "h5",
  h4: "h6",
  h5: "h6",
  h6: "h6",
};

export function isElem(node: Node): node is Elem {
  return typeof node !== "string" && "tag" in node;
}

/** The tree of a token list. */
export function toNodes(tokens: readonly Token[]): Node[] {
  const root: Elem = { tag: "", attrs: {}, children: [] };
  const path: Elem[] = [root];
  for (const token of tokens) place(token, path);
  return root.children;
}

function top(path: readonly Elem[]): Elem {
  return path[path.length - 1] as Elem;
}

function place(token: Token, path: Elem[]): void {
  if (token.nesting === 1) open(token, path);
  else if (token.nesting === -1) {
    if (path.length > 1) path.pop();
  } else put(token, path);
}

function open(token: Token, path: Elem[]): void {
  const elem = element(token);
  top(path).children.push(elem);
  path.push(elem);
  if (token.type === "paragraph_open") markSpacing(path, token.hidden);
}

/** A list is tight as a whole: its style says so, and its items keep their `p`. */
function markSpacing(path: readonly Elem[], tight: boolean): void {
  const list = path[path.length - 3];
  if (list && (list.tag === "ul" || list.tag === "ol"))
    (list.attrs as Record<string, string>).class = tight ? TIGHT : LOOSE;
}

function element(token: Token): Elem {
  const tag = TAGS.has(token.tag) ? token.tag : "span";
  const attrs: Record<string, string> = {};
  if (tag in LOWERED) attrs.class = `aistream-${tag}`;
  if (tag === "a") linkAttributes(token, attrs);
  if (tag === "ol") {
    const start = attribute(token, "start");
    if (start && /^\d+$/.test(start)) attrs.start = start;
  }
  if (tag === "th" || tag === "td") {
    const align = /text-align:(left|right|center)/.exec(attribute(token, "style"));
    if (align?.[1]) attrs.class = `aistream-${align[1]}`;
  }
  return { tag: LOWERED[tag] ?? tag, attrs, children: [] };
}

function attribute(token: Token, name: string): string {
  return String(token.attrGet(name) ?? "");
}

function linkAttributes(token: Token, attrs: Record<string, string>): void {
  const address = attribute(token, "href");
  if (!isSafeLink(address)) return;
  attrs.href = address;
  attrs.target = "_blank";
  attrs.rel = "noopener noreferrer nofollow";
  const title = attribute(token, "title");
  if (title) attrs.title = title;
}

function put(token: Token, path: Elem[]): void {
  const children = top(path).children;
  switch (token.type) {
    case "inline":
      for (const child of token.children ?? []) place(child, path);
      break;
    case "softbreak":
      text(children, "\n");
      break;
    case "hardbreak":
      children.push({ tag: "br", attrs: {}, children: [] });
      break;
    case "hr":
      children.push({ tag: "hr", attrs: {}, children: [] });
      break;
    case "code_inline":
      children.push({ tag: "code", attrs: {}, children: [token.content] });
      break;
    case "code_block":
      children.push({ leaf: "code", text: token.content, detail: "" });
      break;
    case "fence":
      children.push({ leaf: "code", text: token.content, detail: language(token) });
      break;
    case "math_inline":
    case "math_block":
      children.push({ leaf: "math", text: token.content, detail: style(token) });
      break;
    case "image":
      image(token, children);
      break;
    default:
      text(children, token.content);
  }
}

function style(token: Token): string {
  const display = token.type === "math_block" || /^(\$\$|\\\[)$/.test(token.markup);
  return display ? "block" : "inline";
}

function language(token: Token): string {
  return token.info.trim().split(/\s+/)[0]?.toLowerCase() ?? "";
}

function image(token: Token, children: Node[]): void {
  const address = attribute(token, "src");
  const words = (token.children ?? []).map((child) => child.content).join("");
  if (isSafeImage(address))
    children.push({ leaf: "image", text: words, detail: address });
  else text(children, words);
}

function text(children: Node[], more: string): void {
  const last = children.length - 1;
  const before = children[last];
  if (typeof before === "string") children[last] = before + more;
  else if (more) children.push(more);
}
