/**
 * The question whether a tool runs.
 *
 * Safe by default: nothing is preselected, no key approves, and the focus is never put
 * on a button. The name of the tool stands in the button that runs it. A decision is
 * "sending" until Python confirms it; then the card goes, in every view.
 */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { type Json, readWhole } from "../json/partial";
import { check, type Problem } from "../json/schema";
import type { CallState } from "../store";
import type { ApprovalView } from "../wire.gen";
import { type Progress, useAction } from "./action";
import { useView } from "./context";
import { mayTakeFocus, useFocusOnArrival, watchVisit } from "./focus";
import { watchOver } from "./waiting";

interface Props {
  readonly call: CallState;
  readonly approval: ApprovalView;
}
type Mode = "ask" | "deny" | "edit";
interface Choice {
  readonly decision: "proceed" | "deny";
  readonly reason?: string;
  readonly edited?: string | null;
  readonly always?: boolean;
}

export function Approval({ call, approval }: Props) {
  const { line, voice } = useView();
  const [mode, setMode] = useState<Mode>("ask");
  const [progress, act] = useAction();
  const card = useRef<HTMLDivElement>(null);
  const { id, name } = call.view.value;
  useEffect(() => {
    const words = approval.words.join(", ");
    voice.alert(`Approval needed: run ${name}? It ${words}. F8 leads there.`);
    if (card.current && mayTakeFocus(card.current))
      card.current.focus({ preventScroll: false });
  }, [approval.id]);
  useLayoutEffect(() => (card.current ? watchVisit(card.current) : undefined), []);
  const gone = line.state.value === "gone";
  useEffect(
    () => (card.current && !gone ? watchOver(card.current, name, id) : undefined),
    [approval.id, gone],
  );
  const decide = (choice: Choice): void => {
    // A button that is disabled would lose the focus to nowhere.
    card.current?.focus({ preventScroll: true });
    void act({
      type: "decide",
      call: id,
      approval: approval.id,
      nonce: approval.nonce,
      decision: choice.decision,
      reason: choice.reason ?? "",
      arguments: choice.edited ?? null,
      always: choice.always ?? false,
    });
  };
  const keys = (event: KeyboardEvent): void => {
    if (event.key === "Escape" && mode !== "ask") {
      event.stopPropagation();
      setMode("ask");
      card.current?.focus();
    } else if (event.target === card.current && !hasModifier(event)) {
      if (event.key === "d" || event.key === "D") start(event, "deny");
      if (event.key === "e" || event.key === "E") start(event, "edit");
    }
  };
  const start = (event: KeyboardEvent, next: Mode): void => {
    event.preventDefault();
    setMode(next);
  };
  const off = gone || progress.state === "sending" || progress.state === "accepted";
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out as a column everywhere
    <div
      class={`aistream-approval${approval.danger ? " aistream-danger" : ""}`}
      role="group"
      aria-label={`Approval: run ${name}?`}
      aria-keyshortcuts="F8"
      tabIndex={-1}
      ref={card}
      onKeyDown={keys}
    >
      <p class="aistream-question">
        Run <code>{name}</code>?
        {!gone && (
          <kbd class="aistream-shortcut" title="F8 brings the keyboard here">
            F8 leads here
          </kbd>
        )}
      </p>
      <ul class="aistream-hints" aria-label="What its author says">
        {approval.words.map((words) => (
          <li key={words}>{words}</li>
        ))}
      </ul>
      {mode === "ask" && (
        <Ask name={name} approval={approval} off={off} decide={decide} open={setMode} />
      )}
      {mode === "deny" && (
        <Deny off={off} decide={decide} back={() => setMode("ask")} />
      )}
      {mode === "edit" && (
        <Edit
          text={call.arguments.text}
          approval={approval}
          name={name}
          off={off}
          decide={decide}
          back={() => setMode("ask")}
        />
      )}
      <Outcome progress={progress} hint={approval.hint} call={id} />
    </div>
  );
}

function hasModifier(event: KeyboardEvent): boolean {
  return event.ctrlKey || event.metaKey || event.altKey;
}

interface StepProps {
  readonly off: boolean;
  readonly decide: (choice: Choice) => void;
}

interface AskProps extends StepProps {
  readonly name: string;
  readonly approval: ApprovalView;
  readonly open: (mode: Mode) => void;
}

function Ask({ name, approval, off, decide, open }: AskProps) {
  return (
    <div class="aistream-buttons">
      <button
        type="button"
        class="aistream-button aistream-go"
        disabled={off}
        onClick={() => decide({ decision: "proceed" })}
      >
        Approve <code>{name}</code>
      </button>
      <button
        type="button"
        class="aistream-button"
        disabled={off}
        onClick={() => open("deny")}
      >
        Deny…
      </button>
      <button
        type="button"
        class="aistream-button"
        disabled={off}
        onClick={() => open("edit")}
      >
        Edit…
      </button>
      {approval.scope && (
        <button
          type="button"
          class="aistream-button aistream-plain-button"
          disabled={off}
          onClick={() => decide({ decision: "proceed", always: true })}
        >
          Always allow {approval.scope}
        </button>
      )}
    </div>
  );
}

function Deny({ off, decide, back }: StepProps & { readonly back: () => void }) {
  const [reason, setReason] = useState("");
  const field = useFocusOnArrival<HTMLInputElement>();
  const send = (event: Event): void => {
    event.preventDefault();
    if (!off) decide({ decision: "deny", reason: reason.trim() });
  };
  return (
    <form class="aistream-step" onSubmit={send}>
      <label>
        <span>Why not? The model is told. You may leave it empty.</span>
        <input
          class="aistream-input"
          ref={field}
          value={reason}
          maxLength={2000}
          autocomplete="off"
          onInput={(event) => setReason(event.currentTarget.value)}
        />
      </label>
      <div class="aistream-buttons">
        <button type="submit" class="aistream-button aistream-stop" disabled={off}>
          Deny
        </button>
        <button type="button" class="aistream-button" onClick={back}>
          Back
        </button>
      </div>
    </form>
  );
}

interface EditProps extends StepProps {
  readonly text: string;
  readonly name: string;
  readonly approval: ApprovalView;
  readonly back: () => void;
}

function Edit({ text, name, approval, off, decide, back }: EditProps) {
  const [draft, setDraft] = useState(() => pretty(text));
  const field = useFocusOnArrival<HTMLTextAreaElement>();
  const problems = problemsOf(draft, approval.json_schema);
  const send = (event: Event): void => {
    event.preventDefault();
    if (!off && problems.length === 0) decide({ decision: "proceed", edited: draft });
  };
  return (
    <form class="aistream-step" onSubmit={send}>
      <label>
        <span>Arguments, as JSON</span>
        <textarea
          class="aistream-input aistream-editor"
          ref={field}
          rows={Math.min(14, draft.split("\n").length + 1)}
          spellcheck={false}
          data-enter="line"
          value={draft}
          aria-invalid={problems.length > 0}
          onInput={(event) => setDraft(event.currentTarget.value)}
        />
      </label>
      {problems.length > 0 && <Problems problems={problems} />}
      <div class="aistream-buttons">
        <button
          type="submit"
          class="aistream-button aistream-go"
          disabled={off || problems.length > 0}
        >
          Approve edited <code>{name}</code>
        </button>
        <button type="button" class="aistream-button" onClick={back}>
          Back
        </button>
      </div>
    </form>
  );
}

function Problems({ problems }: { readonly problems: readonly Problem[] }) {
  return (
    <ul class="aistream-problems" aria-live="off">
      {problems.slice(0, 5).map(({ path, message }) => (
        <li key={path + message}>
          {path && <code>{path}</code>} {message}
        </li>
      ))}
    </ul>
  );
}

function pretty(text: string): string {
  const value = readWhole(text || "{}");
  return value === undefined ? text : JSON.stringify(value, null, 2);
}

export function problemsOf(
  draft: string,
  schema: ApprovalView["json_schema"],
): Problem[] {
  const value: Json | undefined = readWhole(draft);
  if (value === undefined) return [{ path: "", message: "This is not JSON yet." }];
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return [{ path: "", message: "This must be one JSON object." }];
  return schema ? check(value, schema) : [];
}

interface OutcomeProps {
  readonly progress: Progress;
  readonly hint: string;
  readonly call: string;
}

function Outcome({ progress, hint, call }: OutcomeProps) {
  switch (progress.state) {
    case "sending":
    case "accepted":
      return <p class="aistream-faint">Sending…</p>;
    case "late":
      return (
        <p class="aistream-note">
          No answer yet: the kernel may be busy. {hint} Try again, or run{" "}
          <code>chat.approve({JSON.stringify(call)})</code> in a cell.
        </p>
      );
    case "refused":
      return <p class="aistream-note">{progress.why}</p>;
    default:
      return null;
  }
}
