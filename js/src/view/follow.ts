/**
 * Follows the end of what grows, as long as the reader is there.
 *
 * Within 48 px of the end counts as there. Whoever scrolled away is left alone, and
 * `behind` says that there is more below. For a reader who left, the browser holds what
 * is read in its place while parts above get their true heights. NB: content that shrinks (a card that
 * closes) moves the view up as well; only what a person did counts as leaving.
 */
import { type Signal, signal } from "@preact/signals";

export const NEAR = 48;
const RECENT_MS = 700;
const HANDS = ["wheel", "touchmove", "keydown", "pointerdown"] as const;

export class Follower {
  readonly behind: Signal<boolean> = signal(false);
  readonly #box: HTMLElement;
  readonly #observer: ResizeObserver | undefined;
  #follows = true;
  #top = 0;
  #height = 0;
  #handsOnAt = Number.NEGATIVE_INFINITY;

  constructor(box: HTMLElement, content: HTMLElement) {
    this.#box = box;
    box.addEventListener("scroll", this.#scrolled, { passive: true });
    for (const kind of HANDS)
      box.addEventListener(kind, this.#handsOn, { passive: true });
    if (typeof ResizeObserver === "function") {
      this.#observer = new ResizeObserver(() => this.grew());
      this.#observer.observe(content);
    }
  }

  get #following(): boolean {
    return this.#follows;
  }

  set #following(follows: boolean) {
    this.#follows = follows;
    this.#box.style.overflowAnchor = follows ? "none" : "auto";
  }

  /** The content changed its height. */
  grew(): void {
    if (this.#following) this.#jump();
    else if (!this.#isAtEnd()) this.behind.value = true;
  }

  toEnd(): void {
    this.#following = true;
    this.behind.value = false;
    this.#jump();
  }

  close(): void {
    this.#box.removeEventListener("scroll", this.#scrolled);
    for (const kind of HANDS) this.#box.removeEventListener(kind, this.#handsOn);
    this.#observer?.disconnect();
  }

  #jump(): void {
    this.#box.scrollTop = this.#box.scrollHeight;
    this.#remember();
  }

  #remember(): void {
    this.#top = this.#box.scrollTop;
    this.#height = this.#box.scrollHeight;
  }

  #isAtEnd(): boolean {
    const { scrollHeight, scrollTop, clientHeight } = this.#box;
    return scrollHeight - scrollTop - clientHeight <= NEAR;
  }

  readonly #handsOn = (event: Event): void => {
    if (mayScrollUp(event)) this.#handsOnAt = performance.now();
  };

  readonly #scrolled = (): void => {
    const recent = performance.now() - this.#handsOnAt < RECENT_MS;
    const sameHeight = this.#box.scrollHeight === this.#height;
    const wentUp = this.#box.scrollTop < this.#top - 1;
    if (this.#isAtEnd()) {
      this.#following = true;
      this.behind.value = false;
    } else if (wentUp && (recent || sameHeight)) this.#following = false;
    this.#remember();
  };
}

const KEYS = new Set(["ArrowUp", "PageUp", "Home", " "]);

/** Whether a person may be going up; a click on a button is not that. */
function mayScrollUp(event: Event): boolean {
  if (event instanceof WheelEvent) return event.deltaY < 0;
  if (event instanceof KeyboardEvent) return KEYS.has(event.key);
  if (event.type === "pointerdown") return event.target === event.currentTarget;
  return true;
}
