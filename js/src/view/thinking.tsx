/**
 * What the model thought: live while it runs, one line when it has ended.
 *
 * It closes by itself one second after it ended, if nobody touched it and neither
 * the focus nor a selection is inside.
 */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ThinkingState } from "../store";
import { Chevron } from "./icons";
import { Painter } from "./paint";
import { duration } from "./words";

export const CLOSE_MS = 1000;

export function Thinking({ part }: { readonly part: ThinkingState }) {
  const done = part.done.value;
  const [open, setOpen] = useState(!done);
  const touched = useRef(false);
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!done || touched.current || !open) return undefined;
    const timer = setTimeout(() => {
      if (!touched.current && !isInUse(root.current)) setOpen(false);
    }, CLOSE_MS);
    return () => clearTimeout(timer);
  }, [done]);
  const toggle = (): void => {
    touched.current = true;
    setOpen(!open);
  };
  return (
    <div class="aistream-thinking" ref={root}>
      <button type="button" class="aistream-fold" aria-expanded={open} onClick={toggle}>
        <Chevron />
        {done ? thoughtFor(part.seconds.value) : "Thinking…"}
      </button>
      {open && <Thought part={part} live={!done} />}
    </div>
  );
}

function thoughtFor(seconds: number | null): string {
  if (seconds !== null && seconds < 0.1) return "Thought for a moment";
  return seconds === null ? "Thought" : `Thought for ${duration(seconds)}`;
}

function isInUse(root: Element | null): boolean {
  if (!root) return false;
  const body = root.querySelector(".aistream-thought");
  if (!body) return false;
  const selection = document.getSelection();
  const selected =
    !!selection && !selection.isCollapsed && body.contains(selection.anchorNode);
  const active = (root.getRootNode() as Document | ShadowRoot).activeElement;
  return selected || root.contains(active);
}

function Thought({
  part,
  live,
}: {
  readonly part: ThinkingState;
  readonly live: boolean;
}) {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const root = place.current;
    if (!root) return undefined;
    const text = document.createTextNode(part.buffer.text);
    root.replaceChildren(text);
    const draw = (): void => {
      const atEnd = root.scrollHeight - root.scrollTop - root.clientHeight < 24;
      const all = part.buffer.text;
      if (all.startsWith(text.data)) text.appendData(all.slice(text.length));
      else text.data = all;
      if (atEnd) root.scrollTop = root.scrollHeight;
    };
    root.scrollTop = root.scrollHeight;
    const painter = new Painter(draw);
    const unlisten = part.buffer.listen(() => painter.request());
    return () => {
      unlisten();
      painter.stop();
    };
  }, [part]);
  if (!live && part.buffer.text.trim() === "")
    return (
      <p class="aistream-faint">The provider did not show what the model thought.</p>
    );
  return (
    <section
      class={`aistream-thought${live ? " aistream-thought-live" : ""}`}
      ref={place}
      tabIndex={0}
      aria-label="The model's thinking"
      dir="auto"
    />
  );
}
