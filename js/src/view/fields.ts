/**
 * Enter in the fields of a form, done here and not by the browser.
 *
 * Hosts interfere: inside a cell JupyterLab prevents what Enter does by itself, so
 * that no form would be sent and no line broken. Enter sends and Shift-Enter breaks
 * the line; where lines are the rule (`data-enter="line"`) Enter breaks it, and
 * Ctrl-Enter sends. Enter that ends the input of an IME is never one of them.
 */

/** Do so for all fields inside; call the answer to stop. */
export function watchEnter(root: HTMLElement): () => void {
  root.addEventListener("keydown", entered);
  return () => root.removeEventListener("keydown", entered);
}

type Field = HTMLInputElement | HTMLTextAreaElement;

function entered(event: KeyboardEvent): void {
  const field = event.target;
  // NB: Safari tells of the Enter that ended an IME's input only by its old code.
  if (event.key !== "Enter" || event.isComposing || event.keyCode === 229) return;
  if (event.defaultPrevented || event.altKey || !isField(field) || !field.form) return;
  event.preventDefault();
  event.stopPropagation();
  if (wantsLine(event, field)) breakLine(field);
  else field.form.requestSubmit();
}

function isField(target: EventTarget | null): target is Field {
  return target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
}

function wantsLine(event: KeyboardEvent, field: Field): field is HTMLTextAreaElement {
  if (!(field instanceof HTMLTextAreaElement) || event.ctrlKey || event.metaKey)
    return false;
  return event.shiftKey || field.dataset.enter === "line";
}

/** Put a line break at the caret, so that it can be undone where that is possible. */
function breakLine(field: HTMLTextAreaElement): void {
  const before = field.value;
  // NB: deprecated, and the only way that keeps the field's history.
  if (document.execCommand?.("insertText", false, "\n") && field.value !== before)
    return;
  field.setRangeText("\n", field.selectionStart, field.selectionEnd, "end");
  field.dispatchEvent(
    new InputEvent("input", { bubbles: true, inputType: "insertText" }),
  );
}
