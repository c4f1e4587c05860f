// Live updates of a page's parts: each is replaced whole, when it changed and nobody uses it.
import { places, scrollBack } from "./logs.js";
import { all, announce, one } from "./page.js";

/** What is merely under the pointer counts where a click could hit something else after the change. */
function isPointedAt(part) {
  if (part.matches("tr")) return part.matches(":hover");
  return Boolean(one("a:hover, button:hover, summary:hover, tr:hover", part));
}

function hasFocus(part) {
  const focus = document.activeElement;
  return Boolean(focus) && focus !== document.body && part.contains(focus);
}

function hasMarkedText(part) {
  const marked = getSelection();
  return Boolean(marked) && !marked.isCollapsed && marked.containsNode(part, true);
}

/** Whether a change of it would take something away from under the person's hands. */
export function isInUse(part) {
  const isHeld = one('input[name="ids"]:checked', part) || one("details[open]", part);
  return hasFocus(part) || isPointedAt(part) || Boolean(isHeld) || hasMarkedText(part);
}

const spoken = (part) => one("[data-announce]", part)?.dataset.announce;

function replace(part, other) {
  const words = spoken(other);
  const before = spoken(part);
  const adopted = document.importNode(other, true);
  const scrolled = places(part);
  part.replaceWith(adopted);
  scrollBack(adopted, scrolled);
  globalThis.htmx?.process(adopted);
  if (words && words !== before) announce(words);
}

/** Replace what changed of the parts inside of `live`, and of those outside of anything live. */
export function mergeParts(live, fresh) {
  const parts = all("main [data-part]");
  const ours = parts.filter((part) => [live, null].includes(part.closest("[data-live]")));
  ours.forEach((part) => {
    const other = part.id && fresh.getElementById(part.id);
    if (other && other.outerHTML !== part.outerHTML && !isInUse(part)) replace(part, other);
  });
}
