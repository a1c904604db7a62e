/** Where the keyboard's focus goes when cards come and go, without disturbing anybody. */
import { useEffect, useRef } from "preact/hooks";

const IDLE_MS = 1500;
let lastKey = Number.NEGATIVE_INFINITY;

/** Remember when a key was pressed; call the answer to stop. */
export function watchTyping(root: HTMLElement): () => void {
  const note = (): void => {
    lastKey = performance.now();
  };
  root.addEventListener("keydown", note, true);
  return () => root.removeEventListener("keydown", note, true);
}

const SUPPRESS = "data-lm-suppress-shortcuts";

/**
 * Keep the notebook's own keys ("d d" deletes a cell) out of what has the focus here.
 *
 * NB: JupyterLab looks for the mark from the focused element upwards, and one of its
 * own selectors matches that element first; so the element itself must carry it.
 */
export function keepShortcutsOut(root: HTMLElement): () => void {
  const mark = (event: FocusEvent): void => {
    if (event.target instanceof Element) event.target.setAttribute(SUPPRESS, "true");
  };
  root.setAttribute(SUPPRESS, "true");
  root.addEventListener("focusin", mark);
  return () => root.removeEventListener("focusin", mark);
}

/**
 * Only a reader who is inside the transcript is led to the card, and never one who
 * is writing: an empty field that rested for a while does not count as writing.
 */
export function mayTakeFocus(card: HTMLElement): boolean {
  const scope = card.getRootNode() as Document | ShadowRoot;
  const active = scope.activeElement;
  const root = card.closest(".aistream-root");
  if (!active || !root?.contains(active)) return false;
  if (active.closest(".aistream-approval")) return false;
  if (active instanceof HTMLTextAreaElement || active instanceof HTMLInputElement)
    return active.value === "" && performance.now() - lastKey > IDLE_MS;
  return true;
}

/** Where the keyboard was before it came to a card. */
let origin: HTMLElement | null = null;

/**
 * Call the answer when a card closes: the keyboard then goes to the next card or,
 * after the last one, back to where it came from. Otherwise it would be nowhere, and
 * in a notebook the next Shift-Enter would do nothing.
 */
export function watchVisit(card: HTMLElement): () => void {
  let clicked = false;
  const noteOrigin = (from: unknown): void => {
    if (from === document.body || !(from instanceof HTMLElement)) return;
    if (!from.closest(CARD)) origin = from;
  };
  const pressed = (): void => {
    // NB: JupyterLab moves the focus to the card's own cell before the card gets it.
    // Had that been the origin, the next Run would start that cell again.
    clicked = true;
    noteOrigin(document.activeElement);
  };
  const entered = (event: FocusEvent): void => {
    if (!clicked) noteOrigin(event.relatedTarget);
    clicked = false;
  };
  card.addEventListener("pointerdown", pressed);
  card.addEventListener("focusin", entered);
  return () => {
    card.removeEventListener("pointerdown", pressed);
    card.removeEventListener("focusin", entered);
    const active = (card.getRootNode() as Document | ShadowRoot).activeElement;
    if (card.contains(active)) nextPlace(card)?.focus({ preventScroll: true });
  };
}

const CARD = ".aistream-approval";

function nextPlace(card: HTMLElement): HTMLElement | null {
  const root = card.closest<HTMLElement>(".aistream-root");
  const others = root ? [...root.querySelectorAll<HTMLElement>(CARD)] : [];
  const next = others.find((other) => other !== card && !card.contains(other));
  if (next) return next;
  if (origin?.isConnected) return origin;
  return root?.querySelector<HTMLElement>(".aistream-scroll") ?? null;
}

/** A field that takes the focus when it appears: a person asked for it. */
export function useFocusOnArrival<T extends HTMLElement>() {
  const field = useRef<T>(null);
  useEffect(() => field.current?.focus(), []);
  return field;
}
