/** States, times and sizes in words. */
import type { LineState } from "../model";
import type { CallView } from "../wire.gen";

export type Tone = "quiet" | "busy" | "ask" | "good" | "bad" | "off";

interface StateWords {
  readonly words: string;
  readonly tone: Tone;
}

const STATES: Readonly<Record<CallView["status"], StateWords>> = {
  streaming: { words: "writing arguments", tone: "busy" },
  ready: { words: "ready", tone: "quiet" },
  "awaiting-approval": { words: "waiting for you", tone: "ask" },
  approved: { words: "approved", tone: "quiet" },
  denied: { words: "denied", tone: "off" },
  executing: { words: "running", tone: "busy" },
  complete: { words: "done", tone: "good" },
  error: { words: "failed", tone: "bad" },
  aborted: { words: "aborted", tone: "off" },
};

/** Where a call stands when the kernel that it ran in is gone. */
const BROKEN: Readonly<Partial<Record<CallView["status"], StateWords>>> = {
  streaming: { words: "broken off", tone: "off" },
  ready: { words: "never ran", tone: "off" },
  "awaiting-approval": { words: "was never decided", tone: "off" },
  approved: { words: "never ran", tone: "off" },
  executing: { words: "broken off", tone: "off" },
};

/** A call that nobody can decide any more does not wait; one of a saved view neither. */
export function stateOf(call: CallView, line: LineState = "live"): StateWords {
  const unasked = line !== "live" && call.approval === null;
  const over = line === "gone" || (unasked && call.status === "awaiting-approval");
  const broken = over ? BROKEN[call.status] : undefined;
  if (broken) return broken;
  if (call.by_server && call.status === "complete")
    return { words: "answered by the server", tone: "good" };
  return STATES[call.status];
}

/** "0.4 s", "12 s", "3 min 5 s". */
export function duration(seconds: number): string {
  if (seconds < 0.05) return "0.0 s";
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

export function count(amount: number, one: string, many = `${one}s`): string {
  return `${amount.toLocaleString("en-US")} ${amount === 1 ? one : many}`;
}

/** "812 characters", "34 KB", "2.1 MB". */
export function size(characters: number): string {
  if (characters < 1000) return count(characters, "character");
  if (characters < 1_000_000) return `${Math.round(characters / 1000)} KB`;
  return `${(characters / 1_000_000).toFixed(1)} MB`;
}

/** "7.5", "120", "6,246". */
export function rate(perSecond: number): string {
  return perSecond < 100
    ? String(Math.round(perSecond * 10) / 10)
    : Math.round(perSecond).toLocaleString("en-US");
}

/** "14:02:07" in the reader's time. */
export function clock(seconds: number): string {
  const at = new Date(seconds * 1000);
  return [at.getHours(), at.getMinutes(), at.getSeconds()]
    .map((part) => String(part).padStart(2, "0"))
    .join(":");
}

/** What was decided about a call and by whom; empty if nothing was. */
export function decision(call: CallView): string {
  const time = call.decided_at === null ? "" : `, ${clock(call.decided_at)}`;
  const by = call.decided_by ? ` by ${call.decided_by}` : "";
  if (call.status === "denied")
    return `Denied${by}${time}${call.reason ? `: ${call.reason}` : ""}`;
  if (!call.decided_by || call.approval) return "";
  const edited = call.edited !== null ? " with edited arguments" : "";
  return `Approved${by}${edited}${time}`;
}
