/**
 * Colours for finished code: highlight.js with a dozen languages.
 *
 * Its token tree is turned into spans and text here; no HTML is made or parsed.
 * Nothing is cached: a finished block is coloured once.
 */
import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import markdown from "highlight.js/lib/languages/markdown";
import python from "highlight.js/lib/languages/python";
import r from "highlight.js/lib/languages/r";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";

const LANGUAGES = {
  bash,
  css,
  diff,
  javascript,
  json,
  markdown,
  python,
  r,
  rust,
  sql,
  typescript,
  xml,
  yaml,
};
for (const [name, language] of Object.entries(LANGUAGES))
  hljs.registerLanguage(name, language);

/** Longer code stays plain: colouring must not hold up a frame. */
export const LIMIT = 16_000;

interface Branch {
  readonly scope?: string;
  readonly children: readonly (Branch | string)[];
}

/** The code as coloured nodes, or `null` where it stays plain. */
export function highlight(text: string, language: string): DocumentFragment | null {
  if (text.length > LIMIT || !hljs.getLanguage(language)) return null;
  const result = hljs.highlight(text, { language, ignoreIllegals: true });
  const tree = (result._emitter as unknown as { rootNode?: Branch }).rootNode;
  if (!tree) return null;
  const fragment = document.createDocumentFragment();
  grow(fragment, tree);
  return fragment;
}

function grow(parent: globalThis.Node, branch: Branch): void {
  for (const child of branch.children) {
    if (typeof child === "string") {
      parent.appendChild(document.createTextNode(child));
      continue;
    }
    const span = document.createElement("span");
    span.className = `aistream-hl-${(child.scope ?? "plain").split(".")[0]}`;
    grow(span, child);
    parent.appendChild(span);
  }
}
