/**
 * The blocks of a text, gathered in stretches that a browser can leave out.
 *
 * A browser lays out, paints and measures what stands next to what grows, so a long
 * answer would get dearer with each block, although nothing in it changes. A stretch
 * far from what is seen costs nothing (`content-visibility` in prose.css). One such
 * mark for each block would cost more than it saves, so a stretch holds many. For the
 * same reason a long list is several lists in a row. A table cannot be parted, since
 * its columns belong together; its rows stand in several bodies, which helps by half.
 *
 * Where a stretch ends depends on the blocks alone and not on how they came, so that a
 * text that grew and a text that came at once are the same DOM.
 */
import { type Elem, isElem, LOOSE, type Node, TIGHT } from "./nodes";
import { patchChildren } from "./patch";

/** A stretch is full with so many blocks, items and rows. */
export const FULL = 48;
/** A list goes on in another one after so many items, a table in another body. */
export const LONG = 64;
/** On a list that goes on from the one before it. */
const MORE = "aistream-more";
/** Around a table: it scrolls, and the table stays one for layout and for readers. */
const SHEET = "aistream-sheet";

/** What the first open block is the rest of, and how much of it is in the DOM. */
export interface Begun {
  readonly kind: "list" | "table";
  readonly count: number;
  /** Whether blank lines stood between its items. */
  readonly loose: boolean;
}

export class Stretches {
  readonly #root: Element;
  /** How many stretches are full and frozen. */
  #closed = 0;
  /** How many blocks of the next one are frozen, and their weight. */
  #frozen = 0;
  #weight = 0;

  constructor(root: Element) {
    this.#root = root;
  }

  /** Take everything as open again. */
  restart(): void {
    this.#closed = 0;
    this.#frozen = 0;
    this.#weight = 0;
  }

  /** Make what is open equal to `nodes`. */
  show(nodes: readonly Node[]): void {
    Array.from(this.showing(nodes));
  }

  /** As `show`, with a rest after each stretch. */
  *showing(nodes: readonly Node[]): Generator<void> {
    const groups = toStretches(nodes.flatMap(arrange), this.#weight);
    for (const [at, group] of groups.entries()) {
      this.#patch(at, group, at === 0 ? this.#frozen : 0);
      yield;
    }
    this.#trim(groups.length);
  }

  /** As `show`, where the first block is begun and `nodes` has only its rest. */
  goOn(begun: Begun, nodes: readonly Node[]): void {
    const [rest, ...others] = nodes;
    if (!this.first || !rest || !isElem(rest)) return;
    if (begun.kind === "list") this.#goOnList(this.first, begun, rest, others);
    else this.#goOnTable(this.first, begun, rest, others);
  }

  #goOnList(list: Element, begun: Begun, rest: Elem, others: readonly Node[]): void {
    const start = Number(list.getAttribute("start") ?? 1);
    const [head, ...more] = cut(rest, LONG - begun.count, start);
    patchChildren(list, head.children, begun.count);
    this.#follow(begun, head, [...more, ...others.flatMap(arrange)]);
    const lists = [list];
    for (let at = 0; at < more.length; at++) lists.push(after(lists[at]) ?? list);
    spaceLists(lists, begun.loose ? LOOSE : rest.attrs.class);
  }

  #goOnTable(sheet: Element, begun: Begun, rest: Elem, others: readonly Node[]): void {
    const table = sheet.firstElementChild;
    const full = Math.floor(begun.count / LONG);
    const open = table?.children[full + 1];
    const rows = bodyOf(rest)?.children ?? [];
    const room = LONG - (begun.count % LONG);
    if (open) patchChildren(open, rows.slice(0, room), LONG - room);
    if (table) patchChildren(table, toBodies(rows.slice(room)), full + 2);
    this.#follow(begun, rest, others.flatMap(arrange));
  }

  /** Show what comes after a first block that is in its place already. */
  #follow(begun: Begun, first: Elem, others: readonly Node[]): void {
    const groups = toStretches([first, ...others], this.#weight, begun.count);
    for (const [at, group] of groups.entries())
      if (at === 0) this.#patch(0, group.slice(1), this.#frozen + 1);
      else this.#patch(at, group, 0);
    this.#trim(groups.length);
  }

  /** The first block that is open. */
  get first(): Element | undefined {
    return this.#root.children[this.#closed]?.children[this.#frozen];
  }

  /** Whether exactly one block is open. */
  get isOne(): boolean {
    const stretch = this.#root.children[this.#closed];
    const after = this.#root.children[this.#closed + 1];
    return !after && stretch?.children.length === this.#frozen + 1;
  }

  /** The first open blocks are finished; these were they. */
  freeze(count: number): Element[] {
    const done: Element[] = [];
    for (let at = 0; at < count; at++) {
      const block = this.first;
      if (!block) break;
      done.push(block);
      this.#frozen++;
      this.#weight += weightOf(block);
      if (this.#weight < FULL) continue;
      this.#closed++;
      this.#frozen = 0;
      this.#weight = 0;
    }
    return done;
  }

  #patch(at: number, nodes: readonly Node[], from: number): void {
    let stretch = this.#root.children[this.#closed + at];
    if (!stretch) {
      if (nodes.length === 0) return;
      stretch = document.createElement("div");
      stretch.className = "aistream-stretch";
      this.#root.append(stretch);
    }
    patchChildren(stretch, nodes, from);
  }

  #trim(groups: number): void {
    const empty =
      groups === 1 && this.#root.children[this.#closed]?.firstChild === null;
    const kept = this.#closed + (empty ? 0 : groups);
    while (this.#root.children.length > kept) this.#root.lastElementChild?.remove();
  }
}

/** The blocks by stretches; the first goes on with one of some weight. */
export function toStretches(nodes: readonly Node[], weight = 0, inFirst = 0): Node[][] {
  let group: Node[] = [];
  const groups = [group];
  let sum = weight;
  for (const [at, node] of nodes.entries()) {
    if (sum >= FULL) {
      group = [];
      groups.push(group);
      sum = 0;
    }
    group.push(node);
    sum += weigh(node) + (at === 0 ? inFirst : 0);
  }
  return groups;
}

function weigh(node: Node): number {
  if (!isElem(node)) return 1;
  if (isList(node)) return Math.max(1, node.children.length);
  return Math.max(1, countRows(node));
}

function countRows(node: Elem): number {
  if (node.tag === "tr") return 1;
  if (!PARTS_OF_TABLES.has(node.tag)) return 0;
  return node.children.filter(isElem).reduce((sum, child) => sum + countRows(child), 0);
}

const PARTS_OF_TABLES = new Set(["div", "table", "thead", "tbody"]);

/** As `weigh`, of what is in the DOM. */
function weightOf(block: Element): number {
  if (block.localName === "ul" || block.localName === "ol")
    return Math.max(1, block.children.length);
  if (!block.classList.contains(SHEET)) return 1;
  return Math.max(1, block.querySelectorAll("tr").length);
}

// ------------------------------------------------- long lists and tables

/** How a block at the top stands in its stretch. */
function arrange(node: Node): Node[] {
  if (isElem(node) && isList(node)) return splitList(node);
  return [isElem(node) && node.tag === "table" ? sheet(node) : node];
}

/** A table in what scrolls it, with its rows in several bodies. */
function sheet(table: Elem): Elem {
  const heads = table.children.filter(
    (child) => isElem(child) && child.tag === "thead",
  );
  const bodies = toBodies(bodyOf(table)?.children ?? []);
  const whole: Elem = { ...table, children: [...heads, ...bodies] };
  return { tag: "div", attrs: { class: SHEET }, children: [whole] };
}

function toBodies(rows: readonly Node[]): Elem[] {
  const bodies: Elem[] = [];
  for (let from = 0; from < rows.length; from += LONG)
    bodies.push({ tag: "tbody", attrs: {}, children: rows.slice(from, from + LONG) });
  return bodies;
}

function isList(node: Elem): boolean {
  return node.tag === "ul" || node.tag === "ol";
}

function splitList(list: Elem): Elem[] {
  return list.children.length > LONG
    ? cut(list, LONG, Number(list.attrs.start ?? 1))
    : [list];
}

/** A list in pieces: `room` items, then `LONG` each. It began with the number `start`. */
function cut(list: Elem, room: number, start: number): [Elem, ...Elem[]] {
  const first = { ...list, children: list.children.slice(0, room) };
  const more: Elem[] = [];
  for (let from = room; from < list.children.length; from += LONG) {
    const attrs: Record<string, string> = { class: namesOf(list.attrs.class, true) };
    if (list.tag === "ol") attrs.start = String(start + LONG * (more.length + 1));
    const children = list.children.slice(from, from + LONG);
    more.push({ tag: list.tag, attrs, children });
  }
  return [first, ...more];
}

/** How many lists a list with so many items is. */
export function listsFor(items: number): number {
  return Math.max(1, Math.ceil(items / LONG));
}

/** Space the items of a long list: of its last elements and, if need be, the others. */
function spaceLists(last: readonly Element[], spacing: string | undefined): void {
  if (spacing === undefined) return;
  for (const list of last) space(list, spacing);
  let earlier = last[0] ? before(last[0]) : null;
  while (earlier && space(earlier, spacing)) earlier = before(earlier);
}

/** Whether it was spaced in another way. */
function space(list: Element, spacing: string): boolean {
  const names = namesOf(spacing, list.classList.contains(MORE));
  if (list.className === names) return false;
  list.className = names;
  return true;
}

/** The list that this one goes on from. */
function before(list: Element): Element | null {
  if (!list.classList.contains(MORE)) return null;
  const stretch = list.parentElement?.previousElementSibling;
  return list.previousElementSibling ?? stretch?.lastElementChild ?? null;
}

function after(list: Element | undefined): Element | null {
  const stretch = list?.parentElement?.nextElementSibling;
  return list?.nextElementSibling ?? stretch?.firstElementChild ?? null;
}

function namesOf(spacing: string | undefined, more: boolean): string {
  const names = (spacing ?? "").split(" ").filter((it) => it === LOOSE || it === TIGHT);
  return (more ? [...names, MORE] : names).join(" ");
}

function bodyOf(table: Elem): Elem | undefined {
  return table.children.find(
    (child): child is Elem => isElem(child) && child.tag === "tbody",
  );
}
