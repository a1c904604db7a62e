/**
 * A question must not wait where nobody looks.
 *
 * While a card is out of sight, a small sign stands at that edge of what the reader
 * sees, and leads there. F8 leads there as well, from wherever the keyboard is. The
 * page never scrolls and the focus never moves by itself.
 *
 * NB: each widget is a module of its own, so what they share is in the document.
 */
import { reducedMotion } from "./paint";

interface Question {
  readonly name: string;
  /** The call; two views may show the same one. */
  readonly call: string;
  seen: boolean;
}

const SHELF = "aistream-signs";
const ENOUGH = 0.6;
const questions = new Map<HTMLElement, Question>();
let observer: IntersectionObserver | undefined;
let sign: Sign | undefined;

/** Watch over a card until the answer is called. */
export function watchOver(card: HTMLElement, name: string, call: string): () => void {
  if (typeof IntersectionObserver !== "function") return () => undefined;
  if (questions.size === 0) begin();
  questions.set(card, { name, call, seen: true });
  observer?.observe(card);
  return () => {
    observer?.unobserve(card);
    questions.delete(card);
    if (questions.size === 0) end();
    else show();
  };
}

function begin(): void {
  observer = new IntersectionObserver(looked, {
    threshold: [0, 0.2, 0.4, ENOUGH, 0.8],
  });
  document.addEventListener("keydown", pressed, true);
  addEventListener("scroll", place, { capture: true, passive: true });
  addEventListener("resize", place, { passive: true });
}

function end(): void {
  observer?.disconnect();
  document.removeEventListener("keydown", pressed, true);
  removeEventListener("scroll", place, { capture: true });
  removeEventListener("resize", place);
  sign?.close();
  sign = undefined;
}

function looked(entries: readonly IntersectionObserverEntry[]): void {
  for (const entry of entries) {
    const question = questions.get(entry.target as HTMLElement);
    if (question) question.seen = entry.isIntersecting && isMuch(entry);
  }
  show();
}

/** Most of the card, or most of the window where a card is higher than that. */
function isMuch(entry: IntersectionObserverEntry): boolean {
  const whole = entry.rootBounds?.height ?? innerHeight;
  return (
    entry.intersectionRatio >= ENOUGH || entry.intersectionRect.height >= whole * ENOUGH
  );
}

/** The cards that wait out of sight; one is enough for each call. */
function hidden(): HTMLElement[] {
  const all = [...questions].filter(([card]) => hasBox(card));
  const seen = new Set(all.filter(([, it]) => it.seen).map(([, it]) => it.call));
  return all.filter(([, it]) => !seen.has(it.call)).map(([card]) => card);
}

/** Not in a tab of the host that is hidden, or taken out of the page. */
function hasBox(card: HTMLElement): boolean {
  return card.isConnected && card.getClientRects().length > 0;
}

function show(): void {
  const [first] = hidden();
  const question = first && questions.get(first);
  if (!question) {
    sign?.close();
    sign = undefined;
    return;
  }
  sign ??= new Sign(() => {
    const [next] = hidden();
    if (next) lead(next);
  });
  sign.say(question.name, new Set([...questions.values()].map((it) => it.call)).size);
  place();
}

function place(): void {
  const [card] = sign ? hidden() : [];
  if (card) sign?.stand(windowOf(card), card.getBoundingClientRect());
}

/** What the reader sees of the page that the card is in. */
function windowOf(card: HTMLElement): DOMRect {
  const root = card.closest(".aistream-root");
  let seen = new DOMRect(0, 0, innerWidth, innerHeight);
  for (let at = parentOf(root); at; at = parentOf(at)) {
    if (!/auto|scroll|hidden|clip/.test(getComputedStyle(at).overflowY)) continue;
    const box = at.getBoundingClientRect();
    const top = Math.max(seen.top, box.top);
    const bottom = Math.min(seen.bottom, box.bottom);
    if (bottom - top < 80) continue; // a short box around an output is no window
    seen = new DOMRect(box.left, top, box.width, bottom - top);
  }
  return seen;
}

function parentOf(element: Element | null): Element | null {
  const parent = element?.parentNode;
  return parent instanceof ShadowRoot
    ? parent.host
    : parent instanceof Element
      ? parent
      : null;
}

function lead(card: HTMLElement): void {
  card.scrollIntoView({
    block: card.offsetHeight > innerHeight / 2 ? "end" : "center",
    behavior: reducedMotion() ? "auto" : "smooth",
  });
  card.focus({ preventScroll: true });
}

function pressed(event: KeyboardEvent): void {
  if (event.key !== "F8" || event.defaultPrevented) return;
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  const cards = [...questions.keys()].filter(hasBox);
  const at = cards.findIndex((card) => card.contains(activeIn(card)));
  const next = cards[at + 1] ?? cards[0];
  if (!next) return;
  event.preventDefault();
  event.stopPropagation();
  lead(next);
}

function activeIn(card: HTMLElement): Element | null {
  return (card.getRootNode() as Document | ShadowRoot).activeElement;
}

const LOOK = `
:host { position: fixed; z-index: 10000; translate: -50% 0; max-width: 90vw }
button {
  display: flex; gap: 8px; align-items: center; min-height: 34px; padding: 4px 16px;
  border: 1px solid #b7791f; border-radius: 99px;
  background: var(--jp-layout-color0, var(--vscode-editor-background, Canvas));
  color: var(--jp-content-font-color1, var(--vscode-editor-foreground, CanvasText));
  box-shadow: 0 2px 12px rgb(0 0 0 / 0.25); cursor: pointer;
  font: 13px/1.5 var(--jp-ui-font-family, var(--vscode-font-family, system-ui, sans-serif));
}
button:focus-visible {
  outline: 2px solid var(--jp-brand-color1, Highlight); outline-offset: 2px
}
span { overflow-wrap: anywhere }
kbd { opacity: 0.75; font: inherit; font-size: 12px }
@media print { :host { display: none } }
`;

/** The sign itself: outside of every scroller, in a house of its own. */
class Sign {
  readonly #host = document.createElement("div");
  readonly #words = document.createElement("span");
  readonly #arrow = document.createElement("span");

  constructor(pressed: () => void) {
    const button = document.createElement("button");
    button.type = "button";
    const key = document.createElement("kbd");
    key.textContent = "F8";
    const look = document.createElement("style");
    look.textContent = LOOK;
    this.#arrow.setAttribute("aria-hidden", "true");
    button.append(this.#arrow, this.#words, key);
    button.addEventListener("click", pressed);
    this.#host.className = SHELF;
    this.#host.attachShadow({ mode: "open" }).append(look, button);
    document.body.append(this.#host);
  }

  say(name: string, count: number): void {
    const words = count > 1 ? `${count} tools wait for you` : `${name} waits for you`;
    if (this.#words.textContent !== words) this.#words.textContent = words;
  }

  /** At the edge behind which the card is. */
  stand(seen: DOMRect, card: DOMRect): void {
    const above = card.top + card.height / 2 < seen.top + seen.height / 2;
    this.#arrow.textContent = above ? "↑" : "↓";
    const room = 12 + 40 * this.#before();
    const { style } = this.#host;
    style.left = `${seen.left + seen.width / 2}px`;
    style.top = above ? `${seen.top + room}px` : "";
    style.bottom = above ? "" : `${innerHeight - seen.bottom + room}px`;
  }

  close(): void {
    this.#host.remove();
  }

  /** How many signs of other widgets came first. */
  #before(): number {
    return [...document.getElementsByClassName(SHELF)].indexOf(this.#host);
  }
}
