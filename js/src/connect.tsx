/**
 * What every widget does for anywidget: one store and one line for each model, one
 * tree for each view. Every `render` gives back what lets go of it again.
 */
import { type ComponentChildren, render as draw } from "preact";
import { SAY } from "./markdown/leaves";
import { setMathSource } from "./markdown/math";
import { type AnyModel, Line } from "./model";
import { Store } from "./store";
import { ViewContext } from "./view/context";
import { Voice } from "./view/voice";

interface Given {
  readonly model: AnyModel;
  readonly el: HTMLElement;
}

interface Shared {
  readonly store: Store;
  readonly line: Line;
}

/** Characters of JSON that a saved notebook keeps. */
const SAVED_LIMIT = 2_000_000;

function connect(model: AnyModel): Shared {
  const store = new Store();
  const line = new Line(model, store);
  setMathSource(() => line.asset("math"));
  line.open();
  store.run.subscribe((run) => {
    // While a call waits as well: the kernel may be gone before anybody decides. NB:
    // once it is gone, JupyterLab does not save this any more.
    if (run.status !== "running") line.keep(SAVED_LIMIT);
  });
  return { store, line };
}

/** A widget's module; the result is called once for each model. */
export function connected(view: () => ComponentChildren) {
  return () => {
    let shared: Shared | null = null;
    return {
      initialize({ model }: { readonly model: AnyModel }) {
        shared ??= connect(model);
        return () => {
          shared?.line.close();
          shared = null;
        };
      },
      render({ model, el }: Given) {
        shared ??= connect(model);
        const { store, line } = shared;
        const voice = new Voice();
        const unwatch = line.watch();
        const hear = (event: Event): void => voice.say((event as CustomEvent).detail);
        el.addEventListener(SAY, hear);
        draw(
          <ViewContext.Provider value={{ store, line, voice }}>
            {view()}
          </ViewContext.Provider>,
          el,
        );
        return () => {
          draw(null, el);
          el.removeEventListener(SAY, hear);
          voice.close();
          unwatch();
        };
      },
    };
  };
}
