/** A growing markdown text. */
import { useLayoutEffect, useRef } from "preact/hooks";
import { whenIdle } from "../idle";
import { MarkdownStream } from "../markdown/stream";
import type { TextBuffer } from "../store";
import { Painter } from "./paint";

export function Prose({ buffer }: { readonly buffer: TextBuffer }) {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const root = place.current;
    return root ? show(root, buffer) : undefined;
  }, [buffer]);
  return <div class="aistream-prose" dir="auto" ref={place} />;
}

/** Keep `root` showing the buffer; call the answer to let go. */
function show(root: HTMLElement, buffer: TextBuffer): () => void {
  const stream = new MarkdownStream(root);
  let gone = false;
  const draw = (): void => {
    mark(root, !buffer.done);
    stream.update(buffer.text);
    if (buffer.done) whenIdle(reconcile);
  };
  const reconcile = (): void => {
    const { text } = buffer;
    const steps = stream.finishing(text);
    // A step is a job of its own, so that a long text holds up nothing.
    const next = (): void => {
      if (gone || buffer.text !== text || steps.next().done) return;
      whenIdle(next);
    };
    next();
  };
  const painter = new Painter(draw);
  mark(root, !buffer.done);
  if (buffer.done) stream.finish(buffer.text);
  else stream.update(buffer.text);
  const unlisten = buffer.listen(() => painter.request());
  return () => {
    gone = true;
    unlisten();
    painter.stop();
  };
}

function mark(root: HTMLElement, live: boolean): void {
  root.classList.toggle("aistream-live", live);
  root.setAttribute("aria-busy", String(live));
}
