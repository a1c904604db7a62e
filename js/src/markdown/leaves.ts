/**
 * The parts of a text that look after themselves: code, math and images.
 *
 * Each is one element that knows its source. As long as the source is the same, or
 * only grew, the element stays.
 */

import { whenIdle } from "../idle";
import { highlight } from "./highlight";
import { typeset } from "./math";
import type { Leaf } from "./nodes";
import { appendCode, showCode } from "./pieces";

interface LeafState {
  readonly kind: Leaf["leaf"];
  text: string;
  detail: string;
  readonly update: (text: string, detail: string) => boolean;
}

const STATES = new WeakMap<Element, LeafState>();

export function isLeafElement(element: Element): boolean {
  return STATES.has(element);
}

/** Make the element show `leaf`; false if a new one is needed. */
export function updateLeaf(element: Element, leaf: Leaf): boolean {
  const state = STATES.get(element);
  if (!state || state.kind !== leaf.leaf) return false;
  if (state.text === leaf.text && state.detail === leaf.detail) return true;
  if (!state.update(leaf.text, leaf.detail)) return false;
  state.text = leaf.text;
  state.detail = leaf.detail;
  return true;
}

export function leafElement(leaf: Leaf): Element {
  switch (leaf.leaf) {
    case "code":
      return codeElement(leaf);
    case "math":
      return mathElement(leaf);
    case "image":
      return imageElement(leaf);
    default:
      return leaf.leaf satisfies never;
  }
}

function create(tag: string, name: string, text = ""): HTMLElement {
  const element = document.createElement(tag);
  element.className = `aistream-${name}`;
  if (text) element.textContent = text;
  return element;
}

function remember(element: Element, leaf: Leaf, update: LeafState["update"]): Element {
  STATES.set(element, {
    kind: leaf.leaf,
    text: leaf.text,
    detail: leaf.detail,
    update,
  });
  return element;
}

// ------------------------------------------------------------------ code

function codeElement(leaf: Leaf): Element {
  const frame = create("div", "code");
  const bar = create("div", "code-bar");
  const name = create("span", "code-name", leaf.detail || "text");
  const copy = copyButton(() => frame.querySelector("code")?.textContent ?? "");
  const pre = document.createElement("pre");
  pre.tabIndex = 0;
  pre.setAttribute("role", "region");
  pre.setAttribute("aria-label", "Code");
  const code = document.createElement("code");
  showCode(code, leaf.text);
  pre.append(code);
  bar.append(name, copy);
  frame.append(bar, pre);
  return remember(frame, leaf, (text, detail) => {
    name.textContent = detail || "text";
    frame.removeAttribute("data-done");
    showCode(code, text);
    return true;
  });
}

/** More text at the end of an open block; false if it is not one. */
export function growCode(frame: Element, added: string): boolean {
  const state = STATES.get(frame);
  const code = frame.querySelector("code");
  if (state?.kind !== "code" || !code || !(code.firstChild instanceof Text))
    return false;
  appendCode(code, added);
  state.text += added;
  return true;
}

export const NOT_COPIED = "Copying is not allowed here";

/** What the voice is to say, from an element that cannot reach it; it bubbles. */
export const SAY = "aistream-say";

/** A button that copies, and says so. */
export function copyButton(read: () => string): HTMLButtonElement {
  const button = create("button", "quiet", "Copy") as HTMLButtonElement;
  button.type = "button";
  button.addEventListener("click", async () => {
    const outcome = (await copyText(read())) ? "Copied" : NOT_COPIED;
    button.textContent = outcome;
    const heard = { bubbles: true, detail: `${outcome}.` };
    button.dispatchEvent(new CustomEvent(SAY, heard));
    setTimeout(() => {
      button.textContent = "Copy";
    }, 1500);
  });
  return button;
}

/** Put text on the clipboard; false where the page may not. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Colour the code inside `root`, which is finished, when there is time. */
export function finishCode(root: Element): void {
  const inside = root.querySelectorAll(".aistream-code:not([data-done])");
  for (const frame of [root, ...inside])
    if (STATES.get(frame)?.kind === "code") whenIdle(() => colour(frame));
}

function colour(frame: Element): void {
  const state = STATES.get(frame);
  const code = frame.querySelector("code");
  if (!state || !code || frame.hasAttribute("data-done")) return;
  if (code.textContent !== state.text) return;
  frame.setAttribute("data-done", "");
  const coloured = highlight(state.text, state.detail);
  if (coloured) code.replaceChildren(coloured);
}

// ------------------------------------------------------------------ math

function mathElement(leaf: Leaf): Element {
  const block = leaf.detail === "block";
  const element = create(block ? "div" : "span", block ? "math-block" : "math");
  typeset(element, leaf.text, block);
  return remember(element, leaf, (text, detail) => {
    if ((detail === "block") !== block) return false;
    typeset(element, text, block);
    return true;
  });
}

// ------------------------------------------------------------------ images

function imageElement(leaf: Leaf): Element {
  const holder = create("span", "image");
  showImage(holder, leaf.detail, leaf.text);
  return remember(holder, leaf, (text, detail) => {
    showImage(holder, detail, text);
    return true;
  });
}

/** Show an image at once if it is in the text, else offer to load it. */
export function showImage(holder: Element, address: string, words: string): void {
  if (address.startsWith("data:")) {
    holder.replaceChildren(imageTag(address, words));
    return;
  }
  const host = hostOf(address);
  const button = create("button", "load", `Load image from ${host}`);
  (button as HTMLButtonElement).type = "button";
  button.title = words || address;
  button.addEventListener("click", () =>
    holder.replaceChildren(imageTag(address, words)),
  );
  holder.replaceChildren(button);
}

function imageTag(address: string, words: string): HTMLImageElement {
  const image = document.createElement("img");
  image.alt = words;
  image.referrerPolicy = "no-referrer";
  image.decoding = "async";
  image.src = address;
  return image;
}

function hostOf(address: string): string {
  try {
    return new URL(address).host;
  } catch {
    return "elsewhere";
  }
}
