/** What every part of a view can reach: the store, the line, the voice. */
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Line } from "../model";
import type { Store } from "../store";
import type { Voice } from "./voice";

export interface View {
  readonly store: Store;
  readonly line: Line;
  readonly voice: Voice;
}

export const ViewContext = createContext<View | null>(null);

export function useView(): View {
  const view = useContext(ViewContext);
  if (!view) throw new Error("A part of the transcript stands outside of it.");
  return view;
}
