/**
 * What an inspector's view knows and asks for: rows by pages, the story, one event.
 *
 * Pages of rows are asked for when they come into sight.
 */
import { computed, effect, type Signal, signal } from "@preact/signals";
import type { Line, Report } from "../model";
import { Mover } from "../mover";
import type { Store } from "../store";
import type { EventDetail, EventRow, GhostView, InspectView, Story } from "../wire.gen";

export const PAGE = 100;
const STORY_MS = 700;
const MOST_DETAILS = 20;

export class Desk {
  readonly story: Signal<Story> = signal({
    type: "story",
    count: 0,
    spans: [],
    violations: [],
  });
  /** The events that were looked at; -1 is the stream as a whole. */
  readonly details = signal<ReadonlyMap<number, EventDetail>>(new Map());
  /** How many events pass the filter. */
  readonly total = signal(0);
  /** Grows when rows arrive. */
  readonly arrived = signal(0);
  /** What was typed, and the kind that was chosen; both make the filter. */
  readonly words = signal("");
  readonly kind = signal("");
  readonly filter = computed(() =>
    [this.kind.value && `kind:${this.kind.value}`, this.words.value.trim()]
      .filter(Boolean)
      .join(" "),
  );
  readonly speed = signal(1);
  /** The change that would mend a violation, while it is shown in the list. */
  readonly ghost = signal<GhostView | null>(null);
  readonly #rows = new Map<number, EventRow>();
  readonly #asked = new Set<number>();
  readonly #line: Line;
  readonly #mover: Mover;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #known = -1;
  readonly #stop: () => void;

  constructor(store: Store, line: Line) {
    this.#line = line;
    this.#mover = new Mover(store, line);
    this.speed.value = this.place.speed;
    line.askers.add(this.#hear);
    this.#stop = effect(() => this.#follow(store.inspect.value?.count ?? 0));
  }

  close(): void {
    this.#stop();
    clearTimeout(this.#timer);
    this.#line.askers.delete(this.#hear);
  }

  get place(): InspectView {
    return this.#mover.place;
  }

  /** The row at a place of the list, if it is here; else it is asked for. */
  row(at: number): EventRow | undefined {
    const known = this.#rows.get(at);
    if (!known) this.#ask(Math.floor(at / PAGE));
    return known;
  }

  setWords(words: string): void {
    this.words.value = words;
    this.#filtered();
  }

  setKind(kind: string): void {
    this.kind.value = kind;
    this.#filtered();
  }

  #filtered(): void {
    this.ghost.value = null;
    this.#forgetRows();
    this.#ask(0);
  }

  seek(position: number): void {
    this.ghost.value = null;
    this.#mover.seek(position);
  }

  step(by: number): void {
    this.ghost.value = null;
    this.#mover.step(by);
  }

  play(playing: boolean): void {
    this.#mover.play(playing, this.speed.value);
  }

  setSpeed(speed: number): void {
    this.speed.value = speed;
    if (this.place.playing) this.play(true);
  }

  look(index: number): void {
    if (this.details.peek().has(index)) return;
    void this.#line.act({ type: "event", index });
  }

  /** Show a change in the list; it shows where everything is, so nothing is filtered. */
  show(ghost: GhostView | null): void {
    if (this.filter.peek()) {
      this.kind.value = this.words.value = "";
      this.#filtered();
    }
    this.ghost.value = ghost;
  }

  /** The stream became longer (or is another one). */
  #follow(count: number): void {
    if (count === this.#known) return;
    const first = this.#known < 0;
    this.#known = count;
    this.ghost.value = null;
    this.#asked.clear();
    if (!this.filter.peek()) this.total.value = count;
    this.arrived.value = this.arrived.peek() + 1;
    if (first) this.#askStory();
    else this.#timer ??= setTimeout(() => this.#askStory(), STORY_MS);
  }

  #askStory(): void {
    this.#timer = undefined;
    void this.#line.act({ type: "story" });
    if (this.filter.peek()) this.#ask(0);
  }

  #forgetRows(): void {
    this.#rows.clear();
    this.#asked.clear();
    this.arrived.value++;
  }

  #ask(page: number): void {
    if (this.#asked.has(page)) return;
    this.#asked.add(page);
    const filter = this.filter.peek();
    void this.#line.act({ type: "rows", filter, start: page * PAGE, count: PAGE });
  }

  readonly #hear = (message: Report): void => {
    switch (message.type) {
      case "rows":
        if (message.filter !== this.filter.peek()) return;
        message.rows.forEach((row, at) => {
          this.#rows.set(message.start + at, row);
        });
        this.total.value = message.total;
        this.arrived.value++;
        break;
      case "story":
        this.story.value = message;
        this.#rows.clear();
        this.#asked.clear();
        this.arrived.value++;
        break;
      case "event-detail":
        this.details.value = new Map([
          ...[...this.details.peek()].slice(-MOST_DETAILS),
          [message.index, message],
        ]);
        break;
      default:
        message satisfies never;
    }
  };
}

/** The family of an event, for its colour. */
export function familyOf(type: string): string {
  if (type.startsWith("TEXT_")) return "text";
  if (type.startsWith("TOOL_")) return "call";
  if (/^(REASONING|THINKING)_/.test(type)) return "thought";
  if (/^(RUN|STEP|SUBAGENT)_/.test(type)) return "run";
  if (/^(STATE|MESSAGES|ACTIVITY)_/.test(type)) return "state";
  return "other";
}
