/** Whether a new card may take the keyboard's focus without disturbing anybody. */

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
