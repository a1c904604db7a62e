/**
 * A long code block in pieces of whole lines, so that one more line lays out one piece.
 *
 * Where a piece ends depends on the text alone. The first is only a text; the others
 * are blocks, and their text ends with their line, so that what is copied is the code
 * as it was.
 */

/** A piece ends with the line that reaches so many characters. */
const PIECE = 4000;

/** Make `code` show a text. */
export function showCode(code: Element, text: string): void {
  const plain = [...code.childNodes].every(isPiece);
  const shown = (plain && code.textContent) || null;
  if (shown !== null && text.startsWith(shown))
    appendCode(code, text.slice(shown.length));
  else if (shown?.startsWith(text)) shorten(code, shown.length - text.length);
  else {
    code.replaceChildren(document.createTextNode(""));
    appendCode(code, text);
  }
}

/** Add a text at the end. */
export function appendCode(code: Element, added: string): void {
  for (let rest = added; rest; ) {
    const room = roomIn(code, rest);
    if (room > 0) textOf(code.lastChild)?.appendData(rest.slice(0, room));
    rest = rest.slice(room);
    if (rest) code.append(emptyPiece());
  }
}

/** How much of a text still belongs to the last piece. */
function roomIn(code: Element, more: string): number {
  const text = textOf(code.lastChild)?.data ?? "";
  if (text.length >= PIECE && text.endsWith("\n")) return 0;
  const end = more.indexOf("\n", Math.max(0, PIECE - text.length - 1));
  return end === -1 ? more.length : end + 1;
}

function shorten(code: Element, by: number): void {
  for (let left = by; left > 0; ) {
    const text = textOf(code.lastChild);
    if (!text) return;
    const here = Math.min(left, text.length);
    text.deleteData(text.length - here, here);
    left -= here;
    if (text.length === 0 && code.childNodes.length > 1) code.lastChild?.remove();
  }
}

function emptyPiece(): Element {
  const piece = document.createElement("span");
  piece.className = "aistream-piece";
  piece.append(document.createTextNode(""));
  return piece;
}

function isPiece(node: Node): boolean {
  return (
    node instanceof Text ||
    (node instanceof Element && node.classList.contains("aistream-piece"))
  );
}

function textOf(node: Node | null): Text | null {
  const text = node instanceof Element ? node.firstChild : node;
  return text instanceof Text ? text : null;
}

/** Change only the end of a text node if that is enough. */
export function changeText(node: Text, text: string): void {
  if (node.data === text) return;
  if (text.startsWith(node.data)) node.appendData(text.slice(node.length));
  else if (node.data.startsWith(text))
    node.deleteData(text.length, node.length - text.length);
  else node.data = text;
}
