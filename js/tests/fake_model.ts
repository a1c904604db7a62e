/** A model with which a test plays Python. */
import type { AnyModel } from "../src/model";
import type { Action, Batch, ConversationView, Down, Frame } from "../src/wire.gen";

type Listener = (...values: never[]) => void;

export class FakeModel implements AnyModel {
  readonly sent: Action[] = [];
  alive = true;
  /** Answers every action at once, as a kernel that is free does. */
  obliging = true;
  seq = 0;
  readonly #state: Record<string, unknown> = {};
  readonly #listeners = new Map<string, Set<Listener>>();

  get(name: string): unknown {
    return this.#state[name];
  }

  set(name: string, value: unknown): void {
    this.#state[name] = value;
  }

  send(content: unknown): void {
    if (!this.alive) throw new Error("Cannot send");
    const action = content as Action;
    this.sent.push(action);
    if (this.obliging) this.answer(action.id);
  }

  on(name: string, callback: Listener): void {
    const known = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, known.add(callback));
  }

  off(name: string, callback: Listener): void {
    this.#listeners.get(name)?.delete(callback);
  }

  get listeners(): number {
    return [...this.#listeners.values()].reduce((sum, known) => sum + known.size, 0);
  }

  emit(name: string, ...values: unknown[]): void {
    for (const callback of [...(this.#listeners.get(name) ?? [])])
      (callback as (...given: unknown[]) => void)(...values);
  }

  tell(message: Down): void {
    this.emit("msg:custom", message, []);
  }

  frames(...frames: Frame[]): void {
    this.seq++;
    this.tell({ type: "batch", seq: this.seq, frames } satisfies Batch);
  }

  answer(action: string, accepted = true, why = ""): void {
    this.tell({ type: "answer", action, accepted, why, seq: this.seq });
  }

  ofType<T extends Action["type"]>(type: T): Extract<Action, { type: T }>[] {
    return this.sent.filter(
      (action): action is Extract<Action, { type: T }> => action.type === type,
    );
  }
}

export const RUN = {
  status: "running",
  error: null,
  can_send: true,
  can_stop: true,
  can_retry: false,
  notice: "",
} as const;

export const EMPTY: ConversationView = {
  messages: [],
  calls: {},
  arguments: {},
  run: { ...RUN, status: "idle", can_stop: false },
  cut: 0,
  inspect: null,
};

export const CALL = {
  id: "c1",
  name: "delete_file",
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
} as const;

export const APPROVAL = {
  id: "a1",
  nonce: "n1",
  words: ["may be impossible to undo"],
  danger: true,
  json_schema: {
    type: "object",
    properties: { path: { type: "string" } },
    required: ["path"],
  },
  hint: "",
  scope: "in this chat",
};

/** Let promises, effects and frames happen. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 4; turn++)
    await new Promise((resolve) => setTimeout(resolve, 5));
}
