/**
 * The transcript's entry for anywidget: one store and one line for each model, one
 * tree for each view. Every `render` gives back what lets go of it again.
 */
import { render as draw } from "preact";
import { setMathSource } from "../markdown/math";
import { type AnyModel, Line } from "../model";
import { Store } from "../store";
import { ViewContext } from "../view/context";
import { Transcript } from "../view/transcript";
import { Voice } from "../view/voice";
import "../styles/transcript.css";

interface Given {
  readonly model: AnyModel;
  readonly el: HTMLElement;
}

/** Characters of JSON that a saved notebook keeps. */
const SAVED_LIMIT = 2_000_000;

export default () => {
  let shared: { store: Store; line: Line } | null = null;

  const connect = (model: AnyModel): { store: Store; line: Line } => {
    if (shared) return shared;
    const store = new Store();
    const line = new Line(model, store);
    setMathSource(() => line.asset("math"));
    line.open();
    store.run.subscribe((run) => {
      if (run.status !== "running" && run.status !== "waiting") line.keep(SAVED_LIMIT);
    });
    shared = { store, line };
    return shared;
  };

  return {
    initialize({ model }: { readonly model: AnyModel }) {
      connect(model);
      return () => {
        shared?.line.close();
        shared = null;
      };
    },
    render({ model, el }: Given) {
      const { store, line } = connect(model);
      const voice = new Voice();
      const unwatch = line.watch();
      draw(
        <ViewContext.Provider value={{ store, line, voice }}>
          <Transcript />
        </ViewContext.Provider>,
        el,
      );
      return () => {
        draw(null, el);
        voice.close();
        unwatch();
      };
    },
  };
};
