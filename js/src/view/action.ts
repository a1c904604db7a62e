/** A button's way: sending, answered, refused, or no answer yet. Never dead. */
import { useRef, useState } from "preact/hooks";
import type { Wish } from "../model";
import { useView } from "./context";

export type Progress =
  | { readonly state: "idle" }
  | { readonly state: "sending" }
  | { readonly state: "late" }
  | { readonly state: "accepted" }
  | { readonly state: "refused"; readonly why: string };

export const LATE_MS = 4000;

export function useAction(): [Progress, (wish: Wish) => Promise<boolean>] {
  const { line } = useView();
  const [progress, setProgress] = useState<Progress>({ state: "idle" });
  const busy = useRef(false);
  const act = async (wish: Wish): Promise<boolean> => {
    if (busy.current) return false;
    busy.current = true;
    setProgress({ state: "sending" });
    const timer = setTimeout(() => {
      busy.current = false;
      setProgress({ state: "late" });
    }, LATE_MS);
    const answer = await line.act(wish);
    clearTimeout(timer);
    busy.current = false;
    setProgress(
      answer.accepted ? { state: "accepted" } : { state: "refused", why: answer.why },
    );
    return answer.accepted;
  };
  return [progress, act];
}
