/**
 * Moves about in a stream: one request is under way, and only the last wish follows.
 *
 * A step goes on from where we are or, while we move, from where we are going.
 */
import type { Line } from "./model";
import type { Store } from "./store";
import type { InspectView } from "./wire.gen";

export const NOWHERE: InspectView = {
  count: 0,
  position: 0,
  playing: false,
  speed: 1,
  live: false,
  state: null,
};

export class Mover {
  readonly #store: Store;
  readonly #line: Line;
  #wish: number | null = null;
  #aim: number | null = null;
  #moving = false;

  constructor(store: Store, line: Line) {
    this.#store = store;
    this.#line = line;
  }

  get place(): InspectView {
    return this.#store.inspect.value ?? NOWHERE;
  }

  seek(position: number): void {
    this.#wish = Math.max(0, Math.min(position, this.place.count));
    this.#aim = this.#wish;
    void this.#move();
  }

  step(by: number): void {
    this.seek((this.#aim ?? this.place.position) + by);
  }

  play(playing: boolean, speed: number): void {
    void this.#line.act({ type: "play", playing, speed });
  }

  async #move(): Promise<void> {
    if (this.#moving) return;
    this.#moving = true;
    while (this.#wish !== null) {
      const index = this.#wish;
      this.#wish = null;
      await this.#line.act({ type: "seek", index });
    }
    this.#moving = false;
    this.#aim = null;
  }
}
