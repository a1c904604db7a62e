/** Where a person writes; `fields.ts` says what Enter does. */
import { useRef, useState } from "preact/hooks";
import { useAction } from "./action";
import { useView } from "./context";

export function Composer() {
  const { store, line } = useView();
  const run = store.run.value;
  const [text, setText] = useState("");
  const [progress, act] = useAction();
  const field = useRef<HTMLTextAreaElement>(null);
  const busy = run.status === "running" || run.status === "waiting";
  const off = line.state.value === "gone";
  const send = async (): Promise<void> => {
    const words = text.trim();
    if (!words || busy || off) return;
    if (await act({ type: "send", text: words })) setText("");
    stretch(field.current);
  };
  if (!run.can_send && !run.can_stop) return null;
  return (
    <form
      class="aistream-composer"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      {run.can_send && (
        <textarea
          class="aistream-input"
          ref={field}
          rows={1}
          value={text}
          placeholder="Message"
          aria-label="Message"
          disabled={off}
          dir="auto"
          onInput={(event) => {
            setText(event.currentTarget.value);
            stretch(event.currentTarget);
          }}
        />
      )}
      {run.can_stop ? <StopButton off={off} /> : null}
      {run.can_send && !busy && (
        <button
          type="submit"
          class="aistream-button aistream-go"
          disabled={off || !text.trim() || progress.state === "sending"}
        >
          Send
        </button>
      )}
      {progress.state === "refused" && <p class="aistream-note">{progress.why}</p>}
      {progress.state === "late" && (
        <p class="aistream-note">No answer yet: the kernel may be busy.</p>
      )}
    </form>
  );
}

function StopButton({ off }: { readonly off: boolean }) {
  const [progress, act] = useAction();
  const asked = progress.state === "sending" || progress.state === "accepted";
  return (
    <button
      type="button"
      class="aistream-button"
      disabled={off || asked}
      onClick={() => void act({ type: "stop" })}
    >
      {asked ? "Stopping…" : "Stop"}
    </button>
  );
}

/** As high as its text, up to a third of the window. */
function stretch(field: HTMLTextAreaElement | null): void {
  if (!field) return;
  field.style.height = "auto";
  if (field.scrollHeight > 0)
    field.style.height = `${Math.min(field.scrollHeight + 2, innerHeight / 3)}px`;
}
