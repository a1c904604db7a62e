/**
 * When growing text is drawn: with the next frame, and never more than it can bear.
 *
 * A text that is dear to draw is drawn less often, so that it takes at most about a
 * quarter of the time. Readers who asked for less motion get two pictures a second.
 */
const CALM_MS = 500;

export function reducedMotion(): boolean {
  return (
    typeof matchMedia === "function" &&
    matchMedia("(prefers-reduced-motion: reduce)").matches
  );
}

export class Painter {
  readonly #draw: () => void;
  #frame = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #pending = false;
  #readyAt = 0;

  constructor(draw: () => void) {
    this.#draw = draw;
  }

  /** Draw soon; several requests are one. */
  request(): void {
    if (this.#pending) return;
    this.#pending = true;
    const wait = this.#readyAt - performance.now();
    if (wait > 4) this.#timer = setTimeout(() => this.#nextFrame(), wait);
    else this.#nextFrame();
  }

  /** Draw now, and nothing that was asked for before. */
  flush(): void {
    this.stop();
    this.#paint();
  }

  stop(): void {
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#timer);
    this.#pending = false;
  }

  #nextFrame(): void {
    this.#frame = requestAnimationFrame(() => this.#paint());
    // A page in the background has no frames, and must not fall behind for ever.
    if (document.hidden) this.#timer = setTimeout(() => this.flush(), CALM_MS);
  }

  #paint(): void {
    this.#pending = false;
    const from = performance.now();
    this.#draw();
    const cost = performance.now() - from;
    this.#readyAt = from + (reducedMotion() ? CALM_MS : cost > 4 ? cost * 4 : 0);
  }
}
