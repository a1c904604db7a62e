/** One tool call: name, state, arguments, approval, result. */
import { useLayoutEffect, useState } from "preact/hooks";
import { readPartial, readWhole } from "../json/partial";
import type { CallState, TextBuffer } from "../store";
import type { CallView } from "../wire.gen";
import { Approval } from "./approval";
import { useView } from "./context";
import { ToneIcon } from "./icons";
import { Painter } from "./paint";
import { Result } from "./result";
import { Tree } from "./tree";
import { count, decision, duration, size, stateOf } from "./words";

export function CallCard({ call }: { readonly call: CallState }) {
  const view = call.view.value;
  const { line } = useView();
  const { words, tone } = stateOf(view, line.state.value);
  const name = view.name || "a tool";
  return (
    <section
      class={`aistream-call aistream-tone-${tone}`}
      aria-label={`Tool ${name}: ${words}`}
      data-status={view.status}
      data-call={view.id}
    >
      <header class="aistream-call-head">
        <span class="aistream-call-name" dir="auto">
          {name}
        </span>
        {view.title && view.title !== name && (
          <span class="aistream-faint">{view.title}</span>
        )}
        <span class="aistream-state">
          <ToneIcon tone={tone} />
          {words}
        </span>
        <Elapsed view={view} />
      </header>
      <Arguments
        buffer={call.arguments}
        settled={isSettled(view)}
        writing={view.status === "streaming"}
        cut={view.status === "aborted"}
      />
      {view.approval && <Approval call={call} approval={view.approval} />}
      <Decided view={view} />
      <Outcome view={view} />
    </section>
  );
}

function isSettled(view: CallView): boolean {
  return ["complete", "denied", "error", "aborted"].includes(view.status);
}

/** How long the tool ran and, apart from that, how long a person took to decide. */
function Elapsed({ view }: { readonly view: CallView }) {
  const words: string[] = [];
  const { started_at: start, ended_at: end, waited } = view;
  if (start !== null && end !== null && end >= start && view.status !== "denied")
    words.push(duration(end - start));
  // A notebook that was saved long ago does not say it.
  if (typeof waited === "number") words.push(`waited ${duration(waited)}`);
  if (words.length === 0) return null;
  return <span class="aistream-time">{words.join(" · ")}</span>;
}

function Decided({ view }: { readonly view: CallView }) {
  const words = decision(view);
  if (!words) return null;
  const edited = view.edited === null ? undefined : readPartial(view.edited);
  return (
    <div class="aistream-decided" dir="auto">
      {words}
      {edited !== undefined && <Tree value={edited} />}
    </div>
  );
}

// ------------------------------------------------------------------ arguments

interface ArgumentsProps {
  readonly buffer: TextBuffer;
  readonly settled: boolean;
  readonly writing: boolean;
  /** Whether they may end in the middle. */
  readonly cut: boolean;
}

/** Larger ones fold once the call has ended. */
const ROOMY = 600;
/** While they are written, only so much is read again for each picture. */
const READ_LIMIT = 40_000;

function Arguments({ buffer, settled, writing, cut }: ArgumentsProps) {
  const text = useText(buffer);
  const [raw, setRaw] = useState(false);
  const [open, setOpen] = useState<boolean | null>(null);
  if (!text && !writing) return null;
  const broken = !writing && !cut && readWhole(text) === undefined;
  const unread = broken || (text.length > READ_LIMIT && writing);
  const value = unread ? undefined : readPartial(text);
  if (isEmpty(value) && !writing)
    return <p class="aistream-faint aistream-arguments">No arguments</p>;
  const foldable = settled && text.length > ROOMY;
  const shown = open ?? !foldable;
  return (
    <div class="aistream-arguments">
      {broken && <p class="aistream-faint">Not JSON. The arguments as they came:</p>}
      {shown &&
        (raw || value === undefined ? (
          <pre class="aistream-plain">{raw ? text : tailOf(text)}</pre>
        ) : (
          <Tree value={value} />
        ))}
      <div class="aistream-tools">
        {foldable && (
          <button
            type="button"
            class="aistream-quiet"
            aria-expanded={shown}
            onClick={() => setOpen(!shown)}
          >
            {shown ? "Fold arguments" : `Arguments (${size(text.length)})`}
          </button>
        )}
        {shown && text && !broken && (
          <button
            type="button"
            class="aistream-quiet"
            aria-pressed={raw}
            onClick={() => setRaw(!raw)}
          >
            Raw
          </button>
        )}
      </div>
    </div>
  );
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

function tailOf(text: string): string {
  if (text.length <= READ_LIMIT) return text;
  return `… ${size(text.length)} so far …\n${text.slice(-2000)}`;
}

/** The text of a buffer, drawn again as it grows. */
function useText(buffer: TextBuffer): string {
  const [, draw] = useState(0);
  useLayoutEffect(() => {
    const painter = new Painter(() => draw((times) => times + 1));
    const unlisten = buffer.listen(() => painter.request());
    return () => {
      unlisten();
      painter.stop();
    };
  }, [buffer]);
  return buffer.text;
}

// ------------------------------------------------------------------ outcome

function Outcome({ view }: { readonly view: CallView }) {
  if (view.status === "error")
    return <Failure text={view.error ?? view.result ?? ""} />;
  if (view.status === "denied" || view.result === null) return null;
  return <Result text={view.result} cut={view.result_cut} />;
}

/** The last line says what happened; where it happened is folded. */
export function Failure({ text }: { readonly text: string }) {
  const lines = text.trimEnd().split("\n");
  const last = lines.at(-1) || "It failed and said nothing.";
  return (
    <div class="aistream-failure">
      <p dir="auto">{last}</p>
      {lines.length > 1 && (
        <details>
          <summary class="aistream-faint">
            Traceback ({count(lines.length, "line")})
          </summary>
          <pre class="aistream-plain">{text}</pre>
        </details>
      )}
    </div>
  );
}
