/** The whole transcript: bar, turns, the end that is followed, composer. */
import { useComputed } from "@preact/signals";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { MessageState, Store } from "../store";
import { announce } from "./announce";
import { Failure } from "./call";
import { Composer } from "./composer";
import { useView } from "./context";
import { watchEnter } from "./fields";
import { keepShortcutsOut, watchTyping } from "./focus";
import { Follower } from "./follow";
import { PlayerBar } from "./playing";
import { Retry, Turn, type TurnModel } from "./turn";
import { count } from "./words";

export function Transcript() {
  const { store, voice } = useView();
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => announce(store, voice), [store, voice]);
  useEffect(() => {
    if (!root.current) return undefined;
    const ends = [watchTyping, watchEnter, keepShortcutsOut].map((watch) =>
      watch(root.current as HTMLElement),
    );
    return () => {
      for (const end of ends) end();
    };
  }, []);
  return (
    <div class={`aistream-root${isPaused(store) ? " aistream-paused" : ""}`} ref={root}>
      <Bar />
      <PlayerBar />
      <Scroller />
      <Composer />
      <div class="aistream-hidden" role="status" aria-live="polite">
        {voice.status}
      </div>
      <div class="aistream-hidden" role="alert">
        {voice.alerts}
      </div>
    </div>
  );
}

/** A recording that stands still: nothing in it may look as if it went on. */
function isPaused(store: Store): boolean {
  const place = store.inspect.value;
  return place !== null && !place.playing;
}

function Bar() {
  const { store, line } = useView();
  const words = barText(line.state.value, store.run.value.notice);
  return words ? <p class="aistream-bar">{words}</p> : null;
}

function barText(state: string, notice: string): string {
  if (state === "gone")
    return "The kernel is gone. The transcript stays; nothing can be sent from here.";
  if (state === "silent")
    return "No answer from the kernel. This is the saved transcript, or the kernel is busy.";
  return notice;
}

/** A turn that is drawn again only if it is another one. */
function SteadyTurn({
  turn,
  last,
}: {
  readonly turn: TurnModel;
  readonly last: boolean;
}) {
  return useMemo(() => <Turn turn={turn} last={last} />, [turn, last]);
}

export function Scroller() {
  const { store } = useView();
  const box = useRef<HTMLElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const [follower, setFollower] = useState<Follower | null>(null);
  useLayoutEffect(() => {
    if (!box.current || !content.current) return undefined;
    const made = new Follower(box.current, content.current);
    made.toEnd();
    setFollower(made);
    return () => made.close();
  }, []);
  const turns = useTurns(store.messages);
  return (
    <div class="aistream-stage">
      <section class="aistream-scroll" ref={box} tabIndex={0} aria-label="Transcript">
        <div ref={content} class="aistream-column">
          <Beginning empty={turns.length === 0} />
          {turns.map((turn, at) => (
            <SteadyTurn key={turn.key} turn={turn} last={at === turns.length - 1} />
          ))}
          <Ending />
        </div>
      </section>
      {follower?.behind.value && (
        <button type="button" class="aistream-pill" onClick={() => follower.toEnd()}>
          New text below
        </button>
      )}
    </div>
  );
}

function Beginning({ empty }: { readonly empty: boolean }) {
  const { store } = useView();
  const cut = store.cut.value;
  if (cut > 0)
    return (
      <p class="aistream-faint aistream-cut">
        {count(cut, "earlier message")} left out here; Python has them all.
      </p>
    );
  const idle = store.run.value.status === "idle";
  return empty && idle ? <p class="aistream-faint">Nothing was said yet.</p> : null;
}

/** What stands after the last turn: that the agent works, or why it stopped. */
function Ending() {
  const { store } = useView();
  const run = store.run.value;
  if (run.status === "error")
    return (
      <section class="aistream-call aistream-tone-bad" aria-label="The answer failed">
        <header class="aistream-call-head">
          <span class="aistream-state">
            The answer failed. What had arrived is kept.
          </span>
        </header>
        <Failure text={run.error ?? ""} />
        {run.can_retry && <Retry strong />}
      </section>
    );
  if (run.status === "aborted") return <p class="aistream-faint">Stopped.</p>;
  if (run.status === "running" && isQuiet(store.messages.value))
    return <span class="aistream-working" role="img" aria-label="Working" />;
  return null;
}

/** Whether nothing in the transcript shows that the agent works. */
function isQuiet(messages: readonly MessageState[]): boolean {
  const last = messages.at(-1);
  if (last?.role !== "assistant") return true;
  const part = last.parts.value.at(-1);
  if (!part) return true;
  return part.kind === "call" && part.call.view.value.ended_at !== null;
}

/** Messages as turns; a turn that did not change stays the same object. */
function useTurns(messages: { readonly value: readonly MessageState[] }) {
  const before = useRef<readonly TurnModel[]>([]);
  const turns = useComputed(() => {
    const made = toTurns(messages.value);
    before.current = made.map((turn, at) => {
      const old = before.current[at];
      return old && isSame(old, turn) ? old : turn;
    });
    return before.current;
  });
  return turns.value;
}

export function toTurns(messages: readonly MessageState[]): TurnModel[] {
  const turns: { key: string; asked: MessageState | null; answers: MessageState[] }[] =
    [];
  for (const message of messages) {
    if (message.role === "user")
      turns.push({ key: message.key, asked: message, answers: [] });
    else if (turns.length === 0)
      turns.push({ key: message.key, asked: null, answers: [message] });
    else turns.at(-1)?.answers.push(message);
  }
  return turns;
}

function isSame(one: TurnModel, other: TurnModel): boolean {
  return (
    one.asked === other.asked &&
    one.answers.length === other.answers.length &&
    one.answers.every((message, at) => message === other.answers[at])
  );
}
