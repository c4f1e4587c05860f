// Dialogs: opened with the cursor where one types first, closed by a button or beside them.
import { all, one, onClick } from "./page.js";

/** Open it, unless it is, with the cursor in the reason; "Close" merely stands before it. */
export function openDialog(dialog) {
  if (!dialog.open) dialog.showModal();
  const fields = [...all("textarea", dialog), ...all("input:not([type=hidden])", dialog)];
  (fields.find((field) => field.checkVisibility()) || one("button", dialog))?.focus();
}

function close(button, event) {
  const dialog = button.closest("dialog");
  if (!dialog) return; // the same link on a page of its own leads back
  event.preventDefault();
  dialog.close();
}

export function startDialogs() {
  onClick("[data-open-dialog]", (button) => openDialog(document.getElementById(button.dataset.openDialog)));
  onClick("[data-close-dialog]", close);
  // a click on the backdrop has the dialog itself as its target
  onClick("dialog", (dialog, event) => event.target === dialog && dialog.close());
  // on a page of its own a confirmation asks for its reason at once
  one("main form.confirm textarea")?.focus();
}
