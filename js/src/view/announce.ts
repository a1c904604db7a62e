/** Turns what happens in a store into what the voice says. */
import { effect } from "@preact/signals";
import type { MessageState, Store, TextBuffer } from "../store";
import { Sentences, type Voice } from "./voice";
import { stateOf } from "./words";

const RUN: Readonly<Record<string, string>> = {
  finished: "Answer finished.",
  error: "The answer failed.",
  aborted: "Stopped.",
};

/** Speak of the store's news until the answer is called. */
export function announce(store: Store, voice: Voice): () => void {
  const calls = new Map<string, string>();
  const texts = new Map<TextBuffer, Sentences>();
  let run = store.run.value.status;
  let first = true;
  return effect(() => {
    store.news.value;
    for (const call of store.calls.values()) sayCall(call.view.peek(), first);
    sayText(store.messages.peek().at(-1), first);
    const now = store.run.peek().status;
    if (now !== run && !first) voice.say(RUN[now] ?? "");
    run = now;
    first = false;
  });

  function sayCall(view: Parameters<typeof stateOf>[0], quiet: boolean): void {
    const { words, tone } = stateOf(view);
    if (calls.get(view.id) === words) return;
    calls.set(view.id, words);
    // An approval is announced by its card.
    if (!quiet && tone !== "ask" && words !== "ready")
      voice.say(`Tool ${view.name}: ${words}.`);
  }

  function sayText(message: MessageState | undefined, quiet: boolean): void {
    if (message?.role !== "assistant") return;
    for (const part of message.parts.peek()) {
      if (part.kind !== "text") continue;
      const { buffer } = part;
      let sentences = texts.get(buffer);
      if (!sentences) {
        sentences = new Sentences(quiet ? buffer.text.length : 0);
        texts.set(buffer, sentences);
      }
      const news = sentences.next(buffer.text, buffer.done);
      if (news) voice.say(news);
    }
  }
}
