/** Whether a new card may take the keyboard's focus without disturbing anybody. */
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

/** A field that takes the focus when it appears: a person asked for it. */
export function useFocusOnArrival<T extends HTMLElement>() {
  const field = useRef<T>(null);
  useEffect(() => field.current?.focus(), []);
  return field;
}
