/** What is known at the position: violations, the shared state, the event itself. */
import { useEffect, useRef, useState } from "preact/hooks";
import { isRecord, type Json, readWhole } from "../json/partial";
import { CopyButton } from "../view/copy";
import { Tree } from "../view/tree";
import { count } from "../view/words";
import type { GhostView, ViolationView } from "../wire.gen";
import type { Desk } from "./desk";

const LEVELS: Readonly<Record<ViolationView["level"], string>> = {
  fatal: "the client refuses it",
  error: "against the specification",
  warning: "legal, but wrong in practice",
  info: "worth knowing",
  dialect: "an older spelling",
};

/** The violations that are seen here; at the ends also those of the whole stream. */
export function Violations({ desk }: { readonly desk: Desk }) {
  const { position } = desk.place;
  const found = desk.story.value.violations.filter((one) => one.at === position);
  return (
    <>
      {found.map((violation) => (
        <Violation key={violation.rule} violation={violation} desk={desk} />
      ))}
    </>
  );
}

interface ViolationProps {
  readonly violation: ViolationView;
  readonly desk: Desk;
}

function Violation({ violation, desk }: ViolationProps) {
  const opener = violation.opened_at ?? violation.caused_by;
  return (
    <section
      class={`aistream-violation aistream-level-${violation.level}`}
      aria-label={`Violation ${violation.rule}`}
    >
      <p>
        <code class="aistream-rule">{violation.rule}</code>{" "}
        <span class="aistream-faint">
          {violation.index < 0 && "the stream as a whole; "}
          {LEVELS[violation.level]}
        </span>
      </p>
      <p>{sentence(violation.message)}</p>
      <dl class="aistream-rows">
        <dt>Due</dt>
        <dd>{violation.expected}</dd>
        <dt>Fix</dt>
        <dd>{violation.fix}</dd>
        {violation.meaning && (
          <>
            <dt>Rule</dt>
            <dd>{violation.meaning}</dd>
          </>
        )}
      </dl>
      <div class="aistream-buttons">
        {opener !== null && opener >= 0 && (
          <button
            type="button"
            class="aistream-quiet"
            onClick={() => desk.seek(opener + 1)}
          >
            Go to event {opener}, where it began
          </button>
        )}
        <ShowFix violation={violation} desk={desk} />
        <CopyTest index={violation.index} desk={desk} />
      </div>
      <Fix violation={violation} desk={desk} />
    </section>
  );
}

function sentence(text: string): string {
  const first = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(first) ? first : `${first}.`;
}

function CopyTest({ index, desk }: { readonly index: number; readonly desk: Desk }) {
  const snippet = desk.details.value.get(index)?.snippet;
  useEffect(() => {
    desk.look(index);
  }, [index]);
  if (!snippet) return null;
  return <CopyButton text={snippet} words="Copy as test" />;
}

/** The change that would mend the stream, as a row in the list. */
function ShowFix({ violation, desk }: ViolationProps) {
  const ghost = desk.details.value.get(violation.index)?.ghost;
  if (ghost?.rule !== violation.rule) return null;
  const shown = desk.ghost.value === ghost;
  return (
    <button
      type="button"
      class="aistream-quiet"
      aria-pressed={shown}
      onClick={() => desk.show(shown ? null : ghost)}
    >
      {shown ? "Hide the fix" : "Show the fix"}
    </button>
  );
}

/** The same in words, with the event as it would be sent. */
function Fix({ violation, desk }: ViolationProps) {
  const ghost = desk.ghost.value;
  if (ghost?.rule !== violation.rule) return null;
  return (
    <div class="aistream-fix" role="note">
      <p>{wordsOf(ghost, desk.place.count)}</p>
      <pre class="aistream-plain">{ghost.json_text}</pre>
    </div>
  );
}

function wordsOf({ change, at, source }: GhostView, count: number): string {
  switch (change) {
    case "insert":
      return at === count
        ? "With this event at the end it is mended:"
        : `With this event before event ${at} it is mended:`;
    case "move":
      return `Event ${source} belongs before event ${at}:`;
    case "leave-out":
      return `Without event ${at} it is mended:`;
    default:
      return change satisfies never;
  }
}

interface Seen {
  readonly text: string | null;
  readonly value: Json | undefined;
  readonly before: Json | undefined;
}

/** The shared state, with what the last move changed marked. */
export function SharedState({ desk }: { readonly desk: Desk }) {
  const text = desk.place.state;
  const seen = useRef<Seen>({ text: null, value: undefined, before: undefined });
  if (text !== seen.current.text)
    seen.current = {
      text,
      value: text === null ? undefined : readWhole(text),
      before: seen.current.value,
    };
  const { value, before } = seen.current;
  if (value === undefined) return null;
  const changed = changedNames(before, value);
  return (
    <details open class="aistream-fact">
      <summary>Shared state</summary>
      <Tree value={value} changed={changed} />
    </details>
  );
}

export function changedNames(
  before: Json | undefined,
  after: Json | undefined,
): ReadonlySet<string> {
  if (!isRecord(after)) return new Set();
  const old = isRecord(before) ? before : {};
  return new Set(
    Object.keys(after).filter(
      (name) => JSON.stringify(after[name]) !== JSON.stringify(old[name]),
    ),
  );
}

/** The event itself, as it came. */
export function RawEvent({ desk }: { readonly desk: Desk }) {
  const index = desk.place.position - 1;
  const [open, setOpen] = useState(false);
  useEffect(() => {
    if (open && index >= 0) desk.look(index);
  }, [open, index]);
  if (index < 0) return null;
  return (
    <details
      class="aistream-fact"
      onToggle={(event) => setOpen((event.currentTarget as HTMLDetailsElement).open)}
    >
      <summary>Event {index}</summary>
      <pre class="aistream-plain">
        {desk.details.value.get(index)?.json_text ?? "…"}
      </pre>
    </details>
  );
}

/** How many violations there are, and a way from one to the next. */
export function Summary({ desk }: { readonly desk: Desk }) {
  const { violations } = desk.story.value;
  if (violations.length === 0)
    return <span class="aistream-state aistream-tone-good">in order</span>;
  const next = (): void => {
    const ahead = violations.find((one) => one.at > desk.place.position);
    desk.seek((ahead ?? violations[0])?.at ?? 0);
  };
  return (
    <button type="button" class="aistream-quiet aistream-found" onClick={next}>
      {count(violations.length, "violation")}, go to the next
    </button>
  );
}
