/** One turn: what a person asked, and all that came of it. */
import { useState } from "preact/hooks";
import { showImage } from "../markdown/leaves";
import { isSafeImage } from "../markdown/parser";
import type { CallRef, MediaState, MessageState, PartState } from "../store";
import type { TurnView } from "../wire.gen";
import { useAction } from "./action";
import { CallCard } from "./call";
import { useView } from "./context";
import { CopyButton } from "./copy";
import { useFocusOnArrival } from "./focus";
import { Pencil } from "./icons";
import { Prose } from "./prose";
import { Thinking } from "./thinking";
import { count, duration, rate } from "./words";

export interface TurnModel {
  readonly key: string;
  readonly asked: MessageState | null;
  readonly answers: readonly MessageState[];
}

export function Turn({
  turn,
  last,
}: {
  readonly turn: TurnModel;
  readonly last: boolean;
}) {
  return (
    <article class="aistream-turn">
      {turn.asked && <Asked message={turn.asked} />}
      {turn.answers.map((message) => (
        <Answered key={message.key} message={message} />
      ))}
      {turn.answers.length > 0 && <Footer turn={turn} last={last} />}
    </article>
  );
}

// ------------------------------------------------------------------ the person's

function Asked({ message }: { readonly message: MessageState }) {
  const { store, line } = useView();
  const [editing, setEditing] = useState(false);
  const run = store.run.value;
  const busy = run.status === "running" || run.status === "waiting";
  const text = textOf([message]);
  if (editing)
    return <Rewrite message={message} text={text} close={() => setEditing(false)} />;
  return (
    <div class="aistream-user">
      <h3 class="aistream-hidden">You</h3>
      {message.parts.value.map((part) =>
        part.kind === "text" ? (
          <div class="aistream-user-text" dir="auto" key={part.key}>
            {part.buffer.text}
          </div>
        ) : (
          <Part part={part} key={part.key} />
        ),
      )}
      {run.can_send && !busy && line.state.value !== "gone" && (
        <button
          type="button"
          class="aistream-quiet aistream-edit"
          aria-label="Edit and send again"
          title="Edit and send again"
          onClick={() => setEditing(true)}
        >
          <Pencil />
        </button>
      )}
    </div>
  );
}

interface RewriteProps {
  readonly message: MessageState;
  readonly text: string;
  readonly close: () => void;
}

function Rewrite({ message, text, close }: RewriteProps) {
  const [draft, setDraft] = useState(text);
  const [progress, act] = useAction();
  const field = useFocusOnArrival<HTMLTextAreaElement>();
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (!draft.trim()) return;
    if (await act({ type: "edit", message: message.id, text: draft })) close();
  };
  const keys = (event: KeyboardEvent): void => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    close();
  };
  return (
    <form class="aistream-step" onSubmit={(event) => void send(event)} onKeyDown={keys}>
      <label>
        <span>Your message. What came after it is replaced.</span>
        <textarea
          class="aistream-input"
          ref={field}
          rows={Math.min(10, draft.split("\n").length + 1)}
          value={draft}
          dir="auto"
          onInput={(event) => setDraft(event.currentTarget.value)}
        />
      </label>
      <div class="aistream-buttons">
        <button type="submit" class="aistream-button aistream-go">
          Send again
        </button>
        <button type="button" class="aistream-button" onClick={close}>
          Cancel
        </button>
      </div>
      {progress.state === "refused" && <p class="aistream-note">{progress.why}</p>}
    </form>
  );
}

// ------------------------------------------------------------------ the agent's

function Answered({ message }: { readonly message: MessageState }) {
  const parts = message.parts.value;
  if (message.role === "system") return <SystemNote message={message} />;
  return (
    <div class="aistream-assistant">
      {grouped(parts).map((group) =>
        group.length === 1 ? (
          <Part part={group[0] as PartState} key={group[0]?.key} />
        ) : (
          <div class="aistream-parallel" key={group[0]?.key}>
            {group.map((part) => (
              <Part part={part} key={part.key} />
            ))}
          </div>
        ),
      )}
    </div>
  );
}

function SystemNote({ message }: { readonly message: MessageState }) {
  return (
    <details class="aistream-system">
      <summary class="aistream-faint">Instructions</summary>
      <div class="aistream-user-text">{textOf([message])}</div>
    </details>
  );
}

/** Calls that stand next to each other were made together. */
function grouped(parts: readonly PartState[]): PartState[][] {
  const groups: PartState[][] = [];
  for (const part of parts) {
    const before = groups.at(-1);
    if (part.kind === "call" && before?.[0]?.kind === "call") before.push(part);
    else groups.push([part]);
  }
  return groups;
}

function Part({ part }: { readonly part: PartState }) {
  switch (part.kind) {
    case "text":
      return <Prose buffer={part.buffer} />;
    case "thinking":
      return <Thinking part={part} />;
    case "call":
      return <CallCard call={(part as CallRef).call} />;
    case "media":
      return <Media part={part} />;
    default:
      return part satisfies never;
  }
}

function Media({ part }: { readonly part: MediaState }) {
  const { media } = part;
  if (media.media_type === "image" && isSafeImage(media.source))
    return (
      <span
        class="aistream-image"
        ref={(holder) => {
          if (holder && !holder.firstChild)
            showImage(holder, media.source, media.name || "An image");
        }}
      />
    );
  return (
    <p class="aistream-file">
      {media.name || "A file"} <span class="aistream-faint">{media.mime}</span>
    </p>
  );
}

// ------------------------------------------------------------------ footer

function Footer({ turn, last }: { readonly turn: TurnModel; readonly last: boolean }) {
  const { store } = useView();
  const run = store.run.value;
  const live = last && (run.status === "running" || run.status === "waiting");
  if (live) return null;
  const facts = turn.answers.map((message) => message.turn.value).findLast(Boolean);
  return (
    <footer class="aistream-footer">
      {facts && <Facts facts={facts} />}
      <CopyTurn turn={turn} />
      {last && run.can_retry && run.status !== "error" && <Retry />}
    </footer>
  );
}

function Facts({ facts }: { readonly facts: TurnView }) {
  const words = [
    facts.model,
    facts.first_text_seconds !== null &&
      facts.first_text_seconds >= 0.05 &&
      `first text after ${duration(facts.first_text_seconds)}`,
    facts.tokens_per_second !== null && `${rate(facts.tokens_per_second)} tokens/s`,
    facts.input_tokens !== null && `${count(facts.input_tokens, "token")} in`,
    facts.output_tokens !== null &&
      `${facts.output_tokens.toLocaleString("en-US")} out`,
  ].filter(Boolean);
  return words.length > 0 ? <span>{words.join(" · ")}</span> : null;
}

function CopyTurn({ turn }: { readonly turn: TurnModel }) {
  const text = textOf(turn.answers);
  if (!text) return null;
  return <CopyButton text={text} words="Copy" title="Copy the answer as markdown" />;
}

export function Retry({ strong = false }: { readonly strong?: boolean }) {
  const [progress, act] = useAction();
  const { line } = useView();
  return (
    <button
      type="button"
      class={strong ? "aistream-button aistream-again" : "aistream-quiet"}
      disabled={progress.state === "sending" || line.state.value === "gone"}
      onClick={() => void act({ type: "retry" })}
    >
      {progress.state === "refused" ? progress.why : "Retry"}
    </button>
  );
}

export function textOf(messages: readonly MessageState[]): string {
  return messages
    .flatMap((message) => message.parts.value)
    .map((part) => (part.kind === "text" ? part.buffer.text : ""))
    .filter(Boolean)
    .join("\n\n");
}
