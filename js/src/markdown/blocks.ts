/** Where the blocks of a text begin and end, by line, from its block tokens. */
import type { Token } from "./parser";

export interface Block {
  readonly kind: "list" | "table" | "other";
  readonly start: number;
  readonly end: number;
  /** The first lines of its items or rows. */
  readonly parts: readonly number[];
  /** Whether blank lines stand between its items. */
  readonly loose: boolean;
}

export function topBlocks(tokens: readonly Token[]): Block[] {
  const blocks: Block[] = [];
  tokens.forEach((token, at) => {
    if (token.level !== 0 || token.nesting === -1 || !token.map) return;
    const kind = kindOf(token);
    const inside = kind === "other" ? [] : insideOf(tokens, at);
    blocks.push({
      kind,
      start: token.map[0],
      end: token.map[1],
      parts: partsOf(inside),
      loose: inside.some(isLooseParagraph),
    });
  });
  return blocks;
}

function kindOf(token: Token): Block["kind"] {
  if (token.type === "bullet_list_open" || token.type === "ordered_list_open")
    return "list";
  return token.type === "table_open" ? "table" : "other";
}

function insideOf(tokens: readonly Token[], from: number): readonly Token[] {
  const end = tokens.findIndex((token, at) => at > from && token.level === 0);
  return tokens.slice(from + 1, end === -1 ? undefined : end);
}

function isLooseParagraph(token: Token): boolean {
  return token.type === "paragraph_open" && token.level === 2 && !token.hidden;
}

function partsOf(inside: readonly Token[]): number[] {
  const parts: number[] = [];
  let body = false;
  for (const token of inside) {
    if (token.type === "tbody_open") body = true;
    const item = token.type === "list_item_open" && token.level === 1;
    const row = token.type === "tr_open" && body && token.level === 2;
    if ((item || row) && token.map) parts.push(token.map[0]);
  }
  return parts;
}

/** Where a line begins in its text. */
export function offsetOfLine(text: string, line: number): number {
  let offset = 0;
  for (let at = 0; at < line; at++) {
    const next = text.indexOf("\n", offset);
    if (next === -1) return text.length;
    offset = next + 1;
  }
  return offset;
}
