/**
 * What a browser knows of one conversation: a cache that Python can rebuild.
 *
 * Frames change it; views read it. Structure is signals, growing text is a
 * `TextBuffer`, so that one more character redraws one text and nothing else.
 */
import { type Signal, signal } from "@preact/signals";
import type {
  CallView,
  ConversationView,
  Frame,
  InspectView,
  MediaPart,
  MessageView,
  PartView,
  RunView,
  TurnView,
} from "./wire.gen";

/** Text that grows, and who wants to know. */
export class TextBuffer {
  readonly #listeners = new Set<() => void>();

  constructor(
    public text: string,
    public done: boolean,
  ) {}

  append(text: string): void {
    this.text += text;
    this.done = false;
    this.#tell();
  }

  replace(text: string): void {
    this.text = text;
    this.#tell();
  }

  close(): void {
    this.done = true;
    this.#tell();
  }

  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

export interface TextState {
  readonly kind: "text";
  readonly key: string;
  readonly buffer: TextBuffer;
}
export interface ThinkingState {
  readonly kind: "thinking";
  readonly key: string;
  readonly buffer: TextBuffer;
  readonly seconds: Signal<number | null>;
  readonly done: Signal<boolean>;
}
export interface CallRef {
  readonly kind: "call";
  readonly key: string;
  readonly call: CallState;
}
export interface MediaState {
  readonly kind: "media";
  readonly key: string;
  readonly media: MediaPart;
}
export type PartState = TextState | ThinkingState | CallRef | MediaState;

export interface MessageState {
  id: string;
  readonly key: string;
  readonly role: MessageView["role"];
  readonly parts: Signal<readonly PartState[]>;
  readonly turn: Signal<TurnView | null>;
}

export interface CallState {
  readonly view: Signal<CallView>;
  readonly arguments: TextBuffer;
}

const NO_RUN: RunView = {
  status: "idle",
  error: null,
  can_send: false,
  can_stop: false,
  can_retry: false,
  notice: "",
};

export class Store {
  readonly messages = signal<readonly MessageState[]>([]);
  readonly run = signal<RunView>(NO_RUN);
  readonly cut = signal(0);
  /** Where an inspector stands; a transcript has none. */
  readonly inspect = signal<InspectView | null>(null);
  /** Grows with each change of anything that a person should hear of. */
  readonly news = signal(0);
  readonly calls = new Map<string, CallState>();
  readonly #byId = new Map<string, MessageState>();
  #keys = 0;

  apply(frame: Frame): void {
    switch (frame.type) {
      case "open-message":
        this.#openMessage({
          id: frame.message,
          role: frame.role,
          parts: [],
          turn: null,
        });
        break;
      case "rename-message":
        this.#rename(frame.message, frame.to);
        break;
      case "open-part":
        this.#openPart(frame.message, frame.part);
        break;
      case "append-text":
        this.#text(frame.message, frame.part)?.append(frame.text);
        break;
      case "append-arguments":
        this.calls.get(frame.call)?.arguments.append(frame.text);
        break;
      case "put-part":
        this.#putPart(frame.message, frame.part, frame.value);
        break;
      case "close-part":
        this.#closePart(frame.message, frame.part, frame.seconds);
        break;
      case "put-call":
        this.#putCall(frame.call, frame.arguments);
        break;
      case "put-turn": {
        const message = this.#byId.get(frame.message);
        if (message) message.turn.value = frame.turn;
        break;
      }
      case "put-run":
        this.run.value = frame.run;
        break;
      case "put-inspect":
        this.inspect.value = frame.inspect;
        break;
      case "drop":
        this.#drop(frame.message, frame.part);
        break;
      case "reset":
        this.reset(frame.conversation);
        break;
      default:
        frame satisfies never;
    }
    this.news.value++;
  }

  reset(view: ConversationView): void {
    this.calls.clear();
    this.#byId.clear();
    for (const call of Object.values(view.calls))
      this.#putCall(call, view.arguments[call.id] ?? "");
    const messages = view.messages.map((message) => this.#makeMessage(message));
    this.messages.value = messages;
    this.cut.value = view.cut;
    if (view.inspect) this.inspect.value = view.inspect;
    this.run.value = view.run;
    this.news.value++;
  }

  /** Everything as one value, so that a saved notebook can show it again. */
  view(): ConversationView {
    const calls: Record<string, CallView> = {};
    const texts: Record<string, string> = {};
    for (const [id, call] of this.calls) {
      calls[id] = { ...call.view.value, approval: null };
      texts[id] = call.arguments.text;
    }
    return {
      messages: this.messages.value.map(viewMessage),
      calls,
      arguments: texts,
      run: this.run.value,
      cut: this.cut.value,
      inspect: this.inspect.value,
    };
  }

  #makeMessage(view: MessageView): MessageState {
    const message: MessageState = {
      id: view.id,
      key: `m${this.#keys++}`,
      role: view.role,
      parts: signal<readonly PartState[]>([]),
      turn: signal(view.turn),
    };
    message.parts.value = view.parts.map((part) => this.#makePart(part));
    this.#byId.set(view.id, message);
    return message;
  }

  #makePart(view: PartView): PartState {
    const key = `p${this.#keys++}`;
    switch (view.kind) {
      case "text":
        return { kind: "text", key, buffer: new TextBuffer(view.text, view.done) };
      case "thinking":
        return {
          kind: "thinking",
          key,
          buffer: new TextBuffer(view.text, view.done),
          seconds: signal(view.seconds),
          done: signal(view.done),
        };
      case "call":
        return { kind: "call", key, call: this.#call(view.call) };
      case "media":
        return { kind: "media", key, media: view };
      default:
        return view satisfies never;
    }
  }

  /** A call that nobody described yet gets an empty description. */
  #call(id: string): CallState {
    const known = this.calls.get(id);
    if (known) return known;
    const call: CallState = {
      view: signal(emptyCall(id)),
      arguments: new TextBuffer("", false),
    };
    this.calls.set(id, call);
    return call;
  }

  #openMessage(view: MessageView): void {
    this.messages.value = [...this.messages.value, this.#makeMessage(view)];
  }

  #rename(id: string, to: string): void {
    const message = this.#byId.get(id);
    if (!message) return;
    this.#byId.delete(id);
    this.#byId.set(to, message);
    message.id = to;
  }

  #openPart(id: string, part: PartView): void {
    const message = this.#byId.get(id);
    if (message) message.parts.value = [...message.parts.value, this.#makePart(part)];
  }

  #putPart(id: string, index: number, value: PartView): void {
    const message = this.#byId.get(id);
    const before = message?.parts.value[index];
    if (!message || !before) return;
    if (before.kind === "text" && value.kind === "text") {
      before.buffer.done = value.done;
      before.buffer.replace(value.text);
      return;
    }
    const parts = [...message.parts.value];
    parts[index] = this.#makePart(value);
    message.parts.value = parts;
  }

  #text(id: string, index: number): TextBuffer | undefined {
    const part = this.#byId.get(id)?.parts.value[index];
    return part && "buffer" in part ? part.buffer : undefined;
  }

  #closePart(id: string, index: number, seconds: number | null): void {
    const part = this.#byId.get(id)?.parts.value[index];
    if (!part || !("buffer" in part)) return;
    part.buffer.close();
    if (part.kind !== "thinking") return;
    part.seconds.value = seconds;
    part.done.value = true;
  }

  #putCall(view: CallView, text: string | null): void {
    const call = this.#call(view.id);
    call.view.value = view;
    if (text !== null) call.arguments.replace(text);
  }

  #drop(id: string, part: number | null): void {
    const message = this.#byId.get(id);
    if (!message) return;
    if (part !== null) {
      message.parts.value = message.parts.value.slice(0, part);
      return;
    }
    this.#byId.delete(id);
    this.messages.value = this.messages.value.filter((known) => known !== message);
  }
}

function emptyCall(id: string): CallView {
  return {
    id,
    name: "",
    title: "",
    status: "streaming",
    result: null,
    result_cut: 0,
    error: null,
    reason: null,
    decided_by: null,
    decided_at: null,
    edited: null,
    by_server: false,
    started_at: null,
    waited: null,
    ended_at: null,
    approval: null,
  };
}

function viewMessage(message: MessageState): MessageView {
  return {
    id: message.id,
    role: message.role,
    turn: message.turn.value,
    parts: message.parts.value.map(viewPart),
  };
}

function viewPart(part: PartState): PartView {
  switch (part.kind) {
    case "text":
      return { kind: "text", text: part.buffer.text, done: true };
    case "thinking":
      return {
        kind: "thinking",
        text: part.buffer.text,
        seconds: part.seconds.value,
        done: true,
      };
    case "call":
      return { kind: "call", call: part.call.view.value.id };
    case "media":
      return part.media;
    default:
      return part satisfies never;
  }
}
