/**
 * Reads JSON text that is still being written.
 *
 * What is whole is a value; what is open is closed where it stands. A text that is
 * not JSON gives `undefined`. It is for looking only: what runs is parsed in Python.
 */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

const DEPTH = 200;

class Reader {
  #at = 0;
  constructor(readonly text: string) {}

  read(): Json | undefined {
    return this.#value(0);
  }

  #space(): string | undefined {
    while (/\s/.test(this.text[this.#at] ?? "x")) this.#at++;
    return this.text[this.#at];
  }

  #value(depth: number): Json | undefined {
    if (depth > DEPTH) return undefined;
    switch (this.#space()) {
      case undefined:
        return undefined;
      case "{":
        return this.#object(depth);
      case "[":
        return this.#array(depth);
      case '"':
        return this.#string();
      default:
        return this.#word();
    }
  }

  #object(depth: number): Json {
    const entries: [string, Json][] = [];
    this.#at++;
    while (this.#space() === '"') {
      const start = this.#at;
      const key = this.#string();
      // A key that is still being written is not a key yet.
      if (this.text[this.#at - 1] !== '"' || this.#at - start < 2) break;
      if (this.#space() !== ":") break;
      this.#at++;
      const value = this.#value(depth + 1);
      if (value === undefined) break;
      entries.push([key, value]);
      if (this.#space() !== ",") break;
      this.#at++;
    }
    if (this.#space() === "}") this.#at++;
    // NB: not assignment, so that "__proto__" is a key like any other.
    return Object.fromEntries(entries);
  }

  #array(depth: number): Json {
    const items: Json[] = [];
    this.#at++;
    for (;;) {
      const next = this.#space();
      if (next === undefined || next === "]") break;
      const value = this.#value(depth + 1);
      if (value === undefined) break;
      items.push(value);
      if (this.#space() !== ",") break;
      this.#at++;
    }
    if (this.#space() === "]") this.#at++;
    return items;
  }

  #string(): string {
    const start = this.#at++;
    while (this.#at < this.text.length && this.text[this.#at] !== '"')
      this.#at += this.text[this.#at] === "\\" ? 2 : 1;
    const closed = this.#at < this.text.length;
    this.#at = Math.min(this.#at + 1, this.text.length);
    const raw = this.text.slice(start, this.#at);
    return unquote(closed ? raw : `${raw.replace(/\\(u[0-9a-f]{0,3})?$/i, "")}"`);
  }

  #word(): Json | undefined {
    const word = /^[^\s,\]}:{["]+/.exec(this.text.slice(this.#at, this.#at + 400))?.[0];
    if (!word) return undefined;
    this.#at += word.length;
    if (word === "true" || word === "false") return word === "true";
    if (word === "null") return null;
    const number = Number(word);
    return Number.isNaN(number) ? undefined : number;
  }
}

function unquote(raw: string): string {
  try {
    return JSON.parse(raw) as string;
  } catch {
    return raw.slice(1, -1);
  }
}

/** The value that is there so far, or `undefined` while there is none. */
export function readPartial(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return new Reader(text).read();
  }
}

/** The value of a whole JSON text, or `undefined` if it is not one. */
export function readWhole(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

export function isRecord(value: unknown): value is { [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
