// A stack trace, or its last line, that is pasted into a search box: the field has one line, so the text goes
// its own way, to its failure group.
import { one } from "./page.js";

// no longer ones fit into an address
const LONGEST = 400;
// as an error begins: TimeoutError: no answer, java.lang.IllegalStateException: …
const ERROR = /^[\w.$]*[A-Z][\w$]*: \S/;

let pasted = null;

function onPaste(event) {
  const field = event.target.closest?.("[data-search]");
  const text = field ? event.clipboardData?.getData("text/plain") || "" : "";
  const isTrace = text.trim().includes("\n") || text.length > LONGEST || ERROR.test(text.trim());
  pasted = isTrace ? { field, text } : null;
}

/** What is typed behind it is meant instead. */
function onInput(event) {
  if (event.inputType !== "insertFromPaste") pasted = null;
}

function onSubmit(event) {
  const form = one("#find");
  if (!pasted || !form || !event.target.contains(pasted.field)) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  one("textarea", form).value = pasted.text;
  form.submit();
}

export function startPasting() {
  document.addEventListener("paste", onPaste);
  document.addEventListener("input", onInput);
  window.addEventListener("submit", onSubmit, true);
}
