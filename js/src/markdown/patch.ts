/**
 * Makes DOM children equal to a tree of nodes, touching as little as it can.
 *
 * A node that stays the same stays the same object, and text that grew is appended:
 * a reader's selection and a screen reader's place survive.
 */
import { isLeafElement, leafElement, updateLeaf } from "./leaves";
import { type Elem, isElem, type Leaf, type Node } from "./nodes";
import { changeText } from "./pieces";

/** Make `parent`'s children from index `first` on equal to `nodes`. */
export function patchChildren(
  parent: Element,
  nodes: readonly Node[],
  first = 0,
): void {
  nodes.forEach((node, index) => {
    const existing = parent.childNodes[first + index];
    if (!existing) parent.append(make(node));
    else if (!patchNode(existing, node)) existing.replaceWith(make(node));
  });
  while (parent.childNodes.length > first + nodes.length) parent.lastChild?.remove();
}

function make(node: Node): globalThis.Node {
  if (typeof node === "string") return document.createTextNode(node);
  if (!isElem(node)) return leafElement(node);
  const element = document.createElement(node.tag);
  for (const [name, value] of Object.entries(node.attrs))
    element.setAttribute(name, value);
  for (const child of node.children) element.append(make(child));
  return element;
}

/** Whether `existing` could be made equal to `node`. */
function patchNode(existing: globalThis.Node, node: Node): boolean {
  if (typeof node === "string") return patchText(existing, node);
  if (!(existing instanceof Element)) return false;
  if (!isElem(node)) return updateLeaf(existing, node as Leaf);
  if (isLeafElement(existing)) return false;
  if (existing.localName !== node.tag) return false;
  patchAttributes(existing, node);
  patchChildren(existing, node.children);
  return true;
}

function patchText(existing: globalThis.Node, text: string): boolean {
  if (!(existing instanceof Text)) return false;
  changeText(existing, text);
  return true;
}

function patchAttributes(element: Element, node: Elem): void {
  for (const { name } of [...element.attributes])
    if (!(name in node.attrs)) element.removeAttribute(name);
  for (const [name, value] of Object.entries(node.attrs))
    if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}
