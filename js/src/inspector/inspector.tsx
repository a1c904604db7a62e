/** The inspector: toolbar, lanes and scrubber, list of events, state at the event. */
import { useEffect, useRef, useState } from "preact/hooks";
import { useView } from "../view/context";
import { keepShortcutsOut } from "../view/focus";
import { SpeedChoice, Step } from "../view/playing";
import { Scroller } from "../view/transcript";
import { Desk } from "./desk";
import { Events } from "./events";
import { Lanes } from "./lanes";
import { RawEvent, SharedState, Summary, Violations } from "./panel";

export function Inspector() {
  const { store, line, voice } = useView();
  const [desk, setDesk] = useState<Desk | null>(null);
  useEffect(() => {
    const made = new Desk(store, line);
    setDesk(made);
    return () => made.close();
  }, [store, line]);
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => (root.current ? keepShortcutsOut(root.current) : undefined), []);
  return (
    <div class="aistream-root aistream-inspector" ref={root}>
      {line.state.value === "gone" && (
        <p class="aistream-bar">The kernel is gone. What you see stays.</p>
      )}
      {line.state.value === "silent" && (
        <p class="aistream-bar">No answer from the kernel yet. It may be busy.</p>
      )}
      {desk && <Board desk={desk} />}
      <div class="aistream-hidden" role="status" aria-live="polite">
        {voice.status}
      </div>
    </div>
  );
}

function Board({ desk }: { readonly desk: Desk }) {
  const filter = useRef<HTMLInputElement>(null);
  const { voice } = useView();
  useAnnouncedViolation(desk, voice.say.bind(voice));
  const keys = (event: KeyboardEvent): void => {
    if (event.target instanceof HTMLInputElement && event.target.type !== "range")
      return;
    if (event.target instanceof HTMLSelectElement) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const act = keyAction(event.key, desk, filter.current, event.target);
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys bubble up from what is inside
    <div class="aistream-board" onKeyDown={keys}>
      <Toolbar desk={desk} filter={filter} />
      <Scrubber desk={desk} />
      <div class="aistream-halves">
        <Events desk={desk} />
        <div class="aistream-half">
          <Violations desk={desk} />
          <Scroller />
          <SharedState desk={desk} />
          <RawEvent desk={desk} />
        </div>
      </div>
    </div>
  );
}

function keyAction(
  key: string,
  desk: Desk,
  filter: HTMLInputElement | null,
  target: EventTarget | null,
): (() => void) | null {
  const { count, playing } = desk.place;
  switch (key) {
    case "ArrowRight":
    case "ArrowDown":
      return () => desk.step(1);
    case "ArrowLeft":
    case "ArrowUp":
      return () => desk.step(-1);
    case "PageDown":
      return () => desk.step(20);
    case "PageUp":
      return () => desk.step(-20);
    case "Home":
      return () => desk.seek(0);
    case "End":
      return () => desk.seek(count);
    case " ":
      // On a button, Space presses it.
      return target instanceof HTMLButtonElement ? null : () => desk.play(!playing);
    case "/":
      return () => filter?.focus();
    default:
      return null;
  }
}

/** A violation at the event is said, once. */
function useAnnouncedViolation(desk: Desk, say: (words: string) => void): void {
  const { position } = desk.place;
  const found = desk.story.value.violations.find((one) => one.at === position);
  useEffect(() => {
    if (found) say(`Violation: ${found.message}.`);
  }, [found]);
}

const KINDS = [
  ["", "All events"],
  ["text", "Text"],
  ["call", "Tool calls"],
  ["thought", "Thinking"],
  ["state", "State"],
  ["run", "Runs and steps"],
  ["other", "Other"],
  ["wrong", "Violations"],
] as const;

interface ToolbarProps {
  readonly desk: Desk;
  readonly filter: { current: HTMLInputElement | null };
}

function Toolbar({ desk, filter }: ToolbarProps) {
  const { position, count, playing, live } = desk.place;
  return (
    <div class="aistream-toolbar" role="toolbar" aria-label="Position">
      <Step words="To the start" icon="first" press={() => desk.seek(0)} />
      <Step words="One event back" icon="back" press={() => desk.step(-1)} />
      <button
        type="button"
        class="aistream-button aistream-play"
        onClick={() => desk.play(!playing)}
      >
        {playing ? "Pause" : "Play"}
      </button>
      <Step words="One event on" icon="next" press={() => desk.step(1)} />
      <Step words="To the end" icon="last" press={() => desk.seek(count)} />
      <SpeedChoice speed={desk.speed.value} choose={(speed) => desk.setSpeed(speed)} />
      <span class="aistream-faint aistream-where">
        {position} of {count.toLocaleString("en-US")}
        {live ? ", live" : ""}
      </span>
      <Summary desk={desk} />
      <span class="aistream-filters">
        <select
          class="aistream-input"
          aria-label="Kind of events"
          value={desk.kind.value}
          onChange={(event) => desk.setKind(event.currentTarget.value)}
        >
          {KINDS.map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </select>
        <input
          class="aistream-input aistream-filter"
          ref={filter}
          type="search"
          placeholder="Type, id or rule ( / )"
          aria-label="Filter events by type, id or rule"
          value={desk.words.value}
          onInput={(event) => desk.setWords(event.currentTarget.value)}
        />
      </span>
    </div>
  );
}

function Scrubber({ desk }: { readonly desk: Desk }) {
  const { position, count } = desk.place;
  desk.arrived.value;
  const row = position > 0 && !desk.filter.value ? desk.row(position - 1) : undefined;
  const words = row ? `: ${row.type} ${row.rule}` : "";
  return (
    <div class="aistream-scrubber">
      <Lanes
        story={desk.story.value}
        count={count}
        position={position}
        seek={(to) => desk.seek(to)}
      />
      <input
        type="range"
        min={0}
        max={count}
        value={position}
        aria-label="Position"
        aria-valuetext={`event ${position} of ${count}${words}`}
        onInput={(event) => desk.seek(Number(event.currentTarget.value))}
      />
    </div>
  );
}
