/**
 * Formulas: their source at first, typeset once the math bundle is there.
 *
 * The bundle comes from the kernel when the first formula appears; there is one for
 * the page. Until then, and where there is no kernel, the source is shown as it is.
 */
export interface MathBundle {
  /** Fill `element` with the formula; throws on what it cannot read. */
  typeset(element: Element, source: string, block: boolean): void;
}

let bundle: MathBundle | null = null;
let load: (() => Promise<string>) | null = null;
const waiting = new Map<Element, { source: string; block: boolean }>();

/** Say where the bundle's source comes from. */
export function setMathSource(source: () => Promise<string>): void {
  load = source;
}

/** Use a bundle that is already there. */
export function setMathBundle(made: MathBundle | null): void {
  bundle = made;
  for (const [element, { source, block }] of waiting) typeset(element, source, block);
  waiting.clear();
}

export function typeset(element: Element, source: string, block: boolean): void {
  if (bundle) {
    try {
      bundle.typeset(element, source, block);
      return;
    } catch {
      // A formula that is not finished or not TeX stays readable as its source.
    }
  }
  const code = document.createElement("code");
  code.textContent = source;
  element.replaceChildren(code);
  if (!bundle) waitFor(element, source, block);
}

function waitFor(element: Element, source: string, block: boolean): void {
  waiting.set(element, { source, block });
  const start = load;
  load = null;
  start?.()
    .then(importSource)
    .then(setMathBundle)
    .catch(() => {
      load = start;
    });
}

async function importSource(source: string): Promise<MathBundle> {
  const address = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  try {
    return ((await import(address)) as { default: MathBundle }).default;
  } finally {
    URL.revokeObjectURL(address);
  }
}
