/**
 * What a screen reader hears: sentences and states, never tokens.
 *
 * There are exactly two hidden regions. `say` is polite and speaks at most once in
 * two seconds; what gathers in between is spoken together, and long news is cut. An
 * `alert` is for an approval, and interrupts once.
 */
import { signal } from "@preact/signals";

export const PAUSE_MS = 2000;
const LONGEST = 400;

export class Voice {
  readonly status = signal("");
  readonly alerts = signal("");
  #queue: string[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  say(sentence: string): void {
    if (sentence) this.#queue.push(sentence);
    if (this.#timer === undefined) this.#speak();
  }

  alert(sentence: string): void {
    this.alerts.value = sentence;
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#queue = [];
  }

  #speak(): void {
    if (this.#queue.length === 0) {
      this.#timer = undefined;
      return;
    }
    const news = this.#queue.join(" ");
    this.#queue = [];
    this.status.value = news.length > LONGEST ? `${news.slice(0, LONGEST)}…` : news;
    this.#timer = setTimeout(() => this.#speak(), PAUSE_MS);
  }
}

const ENDS = /[.!?。！？](?=\s)|\n\n/g;

/** Cuts a growing text into sentences that are finished. */
export class Sentences {
  #spoken = 0;

  constructor(spoken: number) {
    this.#spoken = spoken;
  }

  /** The finished sentences that are new; with `all`, the rest too. */
  next(text: string, all: boolean): string {
    const rest = text.slice(this.#spoken);
    let end = all ? rest.length : 0;
    if (!all)
      for (const match of rest.matchAll(ENDS)) end = match.index + match[0].length;
    if (end === 0) return "";
    this.#spoken += end;
    return plain(rest.slice(0, end));
  }
}

/** Text without the marks of markdown, and code by name only. */
function plain(text: string): string {
  return text
    .replace(/```[^\n]*\n[\s\S]*?(```|$)/g, " Code. ")
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/[*_`#>|~]+/g, "")
    .replace(/\s+/g, " ")
    .trim();
}
