/**
 * The second bundle: temml, and a fence around what it makes.
 *
 * It is loaded from the kernel when the first formula appears.
 */
import DOMPurify from "dompurify";
import temml, { type Options } from "temml";
import type { MathBundle } from "../markdown/math";

const OPTIONS: Options = {
  trust: false,
  throwOnError: true,
  maxExpand: 200,
  maxSize: [20, 200],
};

const bundle: MathBundle = {
  typeset(element, source, block) {
    const markup = temml.renderToString(source, { ...OPTIONS, displayMode: block });
    const safe = DOMPurify.sanitize(markup, {
      USE_PROFILES: { mathMl: true },
      FORBID_ATTR: ["href", "xlink:href", "id", "name"],
      RETURN_DOM_FRAGMENT: true,
    });
    element.replaceChildren(safe);
  },
};

export default bundle;
