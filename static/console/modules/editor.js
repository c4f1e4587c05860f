// The editor of a payload: line numbers beside the text, and the caret at the place of its error.
import { all, one, onContent } from "./page.js";

const lineCount = (text) => text.split("\n").length;

/** Where a line and a column, both from 1, stand in a text. */
export function offsetOf(text, line, column) {
  const lines = text.split("\n").slice(0, line - 1);
  const begin = lines.reduce((sum, each) => sum + each.length + 1, 0);
  const end = text.indexOf("\n", begin);
  return Math.min(begin + column - 1, end < 0 ? text.length : end);
}

function number(gutter, count, wrong) {
  const lines = Array.from({ length: count }, (_, i) => {
    const place = document.createElement("span");
    place.textContent = String(i + 1);
    if (i + 1 === wrong) place.className = "wrong";
    return place;
  });
  gutter.replaceChildren(...lines);
}

/** The line in the middle of what is seen, where the text is longer than that. */
function goTo(field, line, column) {
  const at = offsetOf(field.value, line, column);
  field.setSelectionRange(at, at);
  const height = field.scrollHeight / lineCount(field.value);
  field.scrollTop = Math.max(0, (line - 1) * height - field.clientHeight / 2);
}

function start(field) {
  const frame = field.parentElement;
  if (!frame.matches(".numbered") || one(".gutter", frame)) return;
  const gutter = document.createElement("div");
  gutter.className = "gutter";
  gutter.setAttribute("aria-hidden", "true");
  frame.append(gutter);
  const wrong = Number(field.dataset.line);
  const follow = () => { gutter.scrollTop = field.scrollTop; };
  const draw = () => {
    const count = lineCount(field.value);
    if (count !== gutter.childElementCount) number(gutter, count, wrong);
    follow();
  };
  field.addEventListener("input", draw);
  field.addEventListener("scroll", follow);
  draw();
  if (wrong) goTo(field, wrong, Number(field.dataset.column));
}

export function startEditor() {
  onContent(() => all("textarea.editor").forEach(start));
}
