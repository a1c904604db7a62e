/**
 * The line to the kernel: batches in, actions out.
 *
 * - Batches are numbered. A gap asks for a snapshot; old and double ones are dropped.
 * - Actions are custom messages and never trait writes: while a cell runs, kernels
 *   lose the latter. Each has an id and waits for its answer.
 * - While a run is live and nothing arrives, the line asks how far Python is, since
 *   the last batch may be the one that was lost.
 * - It knows whether anybody is at the other end.
 */
import { type Signal, signal } from "@preact/signals";
import type { Store } from "./store";
import type {
  Action,
  Answer,
  Batch,
  Down,
  EventDetail,
  Rows,
  Snapshot,
  Story,
} from "./wire.gen";

/** The part of anywidget's model that is used here. */
export interface AnyModel {
  get(name: string): unknown;
  set?(name: string, value: unknown): void;
  send(content: unknown): void;
  on(name: string, callback: (...args: never[]) => void): void;
  off(name: string, callback: (...args: never[]) => void): void;
}

type WithoutId<T> = T extends { id: string } ? Omit<T, "id"> : never;
/** An action before it has an id. */
export type Wish = WithoutId<Action>;

/** What an inspector asked for. */
export type Report = Rows | Story | EventDetail;

/** How the other end is. */
export type LineState = "unknown" | "live" | "silent" | "gone";

const LIVE = new Set(["running", "waiting"]);
export const SILENCE_MS = 4000;
const CHECK_MS = 3000;

export class Line {
  readonly state: Signal<LineState> = signal<LineState>("unknown");
  readonly #model: AnyModel;
  readonly #store: Store;
  readonly #page = randomId();
  readonly #pending = new Map<string, (answer: Answer) => void>();
  /** Who wants to hear what was asked for beside the conversation. */
  readonly askers = new Set<(message: Report) => void>();
  readonly #assets = new Map<string, (source: string) => void>();
  #seq = 0;
  #count = 0;
  #views = 0;
  #asking = false;
  #heardAt = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(model: AnyModel, store: Store) {
    this.#model = model;
    this.#store = store;
  }

  open(): void {
    this.#load(this.#model.get("_snapshot"));
    this.#model.on("msg:custom", this.#hear);
    this.#model.on("change:_snapshot", this.#changed);
    this.#model.on("comm_live_update", this.#checkLine);
    this.#model.on("destroy", this.#end);
    this.#timer = setInterval(this.#check, CHECK_MS);
    this.#report();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#model.off("msg:custom", this.#hear);
    this.#model.off("change:_snapshot", this.#changed);
    this.#model.off("comm_live_update", this.#checkLine);
    this.#model.off("destroy", this.#end);
    this.#pending.clear();
  }

  /** Tell Python that one more view is there; call the answer when it is gone. */
  watch(): () => void {
    this.#views++;
    this.#report();
    return () => {
      this.#views--;
      this.#report();
    };
  }

  /** Ask for something; the promise ends with what became of it. */
  act(wish: Wish): Promise<Answer> {
    const id = `${this.#page}-${++this.#count}`;
    return new Promise((resolve) => {
      this.#pending.set(id, resolve);
      if (!this.#send({ ...wish, id } as Action)) {
        this.#pending.delete(id);
        resolve(refused(id, "The kernel is gone."));
      }
    });
  }

  /** The source of a bundle that is loaded later, from the kernel. */
  asset(name: "math"): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#assets.set(name, resolve);
      this.act({ type: "asset", name }).then((answer) => {
        if (!answer.accepted) reject(new Error(answer.why));
      });
    });
  }

  /** Leave the finished transcript in the model, for a notebook that is saved. */
  keep(limit: number): void {
    const conversation = this.#store.view();
    const saved = { type: "snapshot", seq: this.#seq, conversation };
    // NB: set without saving: this writes the page's copy and sends nothing.
    if (JSON.stringify(saved).length <= limit) this.#model.set?.("_snapshot", saved);
  }

  #send(action: Action): boolean {
    try {
      this.#model.send(action);
      return true;
    } catch {
      this.#end();
      return false;
    }
  }

  #report(): void {
    this.act({ type: "ready", page: this.#page, views: this.#views });
    if (this.state.value === "unknown") setTimeout(this.#fallSilent, SILENCE_MS);
  }

  readonly #fallSilent = (): void => {
    if (this.state.value === "unknown") this.state.value = "silent";
  };

  readonly #checkLine = (): void => {
    // The event says that the line changed and not how; a message finds out.
    this.act({ type: "ready", page: this.#page, views: this.#views });
  };

  readonly #end = (): void => {
    this.state.value = "gone";
    for (const [id, resolve] of this.#pending)
      resolve(refused(id, "The kernel is gone."));
    this.#pending.clear();
  };

  readonly #check = (): void => {
    const live = LIVE.has(this.#store.run.value.status);
    const quiet = Date.now() - this.#heardAt > CHECK_MS;
    if (live && quiet && this.#pending.size === 0 && this.state.value === "live")
      this.#checkLine();
  };

  readonly #changed = (): void => {
    const value = this.#model.get("_snapshot");
    if (isSnapshot(value) && value.seq > this.#seq) this.#load(value);
  };

  #load(value: unknown): void {
    if (!isSnapshot(value)) return;
    this.#seq = value.seq;
    this.#asking = false;
    this.#store.reset(value.conversation);
  }

  readonly #hear = (message: Down): void => {
    this.#heardAt = Date.now();
    if (this.state.value !== "gone") this.state.value = "live";
    switch (message.type) {
      case "batch":
        this.#receive(message);
        break;
      case "snapshot":
        if (message.seq > this.#seq || this.#asking) this.#load(message);
        break;
      case "answer":
        this.#settle(message);
        break;
      case "asset":
        this.#assets.get(message.name)?.(message.source);
        this.#assets.delete(message.name);
        break;
      case "rows":
      case "story":
      case "event-detail":
        for (const asker of this.askers) asker(message);
        break;
      default:
        message satisfies never;
    }
  };

  #receive(batch: Batch): void {
    if (batch.seq <= this.#seq) return;
    if (batch.seq !== this.#seq + 1) {
      this.#resync();
      return;
    }
    this.#seq = batch.seq;
    for (const frame of batch.frames) this.#store.apply(frame);
  }

  #settle(answer: Answer): void {
    if (answer.seq > this.#seq) this.#resync();
    this.#pending.get(answer.action)?.(answer);
    this.#pending.delete(answer.action);
  }

  #resync(): void {
    if (this.#asking) return;
    this.#asking = true;
    // The request or its answer may be lost as well: then ask again at the next gap.
    setTimeout(() => {
      this.#asking = false;
    }, 2000);
    this.act({ type: "resync", have: this.#seq });
  }
}

function isSnapshot(value: unknown): value is Snapshot {
  const fields = value as Partial<Snapshot> | null | undefined;
  return fields?.type === "snapshot" && typeof fields.seq === "number";
}

function refused(action: string, why: string): Answer {
  return { type: "answer", action, accepted: false, why, seq: 0 };
}

function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(8));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
