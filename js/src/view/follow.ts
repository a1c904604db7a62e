/**
 * Follows the end of what grows, as long as the reader is there.
 *
 * Within 48 px of the end counts as there. Whoever scrolled away is left alone, and
 * `behind` says that there is more below.
 */
import { type Signal, signal } from "@preact/signals";

export const NEAR = 48;

export class Follower {
  readonly behind: Signal<boolean> = signal(false);
  readonly #box: HTMLElement;
  readonly #observer: ResizeObserver | undefined;
  #following = true;
  #top = 0;

  constructor(box: HTMLElement, content: HTMLElement) {
    this.#box = box;
    box.addEventListener("scroll", this.#scrolled, { passive: true });
    if (typeof ResizeObserver === "function") {
      this.#observer = new ResizeObserver(() => this.grew());
      this.#observer.observe(content);
    }
  }

  /** The content changed its height. */
  grew(): void {
    if (this.#following) this.#box.scrollTop = this.#box.scrollHeight;
    else if (!this.#isAtEnd()) this.behind.value = true;
  }

  toEnd(): void {
    this.#following = true;
    this.behind.value = false;
    this.#box.scrollTop = this.#box.scrollHeight;
  }

  close(): void {
    this.#box.removeEventListener("scroll", this.#scrolled);
    this.#observer?.disconnect();
  }

  #isAtEnd(): boolean {
    const { scrollHeight, scrollTop, clientHeight } = this.#box;
    return scrollHeight - scrollTop - clientHeight <= NEAR;
  }

  readonly #scrolled = (): void => {
    const { scrollTop } = this.#box;
    // Only a reader goes up; growth alone leaves us above the end for a moment.
    if (this.#isAtEnd()) this.#following = true;
    else if (scrollTop < this.#top - 1) this.#following = false;
    this.#top = scrollTop;
    if (this.#following) this.behind.value = false;
  };
}
