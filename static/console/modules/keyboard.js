// Keys: the page says which, in the dialog that `?` opens.
import { openDialog } from "./dialogs.js";
import { leaveMenus } from "./menus.js";
import { all, isTyping, one } from "./page.js";
import { suggest } from "./suggestions.js";

const ROW = "tr[data-row]";

const rowInFocus = () => document.activeElement?.closest(ROW);

/** The next or previous row; where there are none, the next or previous page. */
function move(step) {
  const rows = all(`main ${ROW}`);
  if (!rows.length) {
    one(`main a[rel="${step > 0 ? "next" : "prev"}"]`)?.click();
    return;
  }
  const now = rows.indexOf(rowInFocus());
  const from = now < 0 && step < 0 ? rows.length : now;
  const row = rows[Math.min(Math.max(from + step, 0), rows.length - 1)];
  one("a[data-open]", row)?.focus({ preventScroll: true });
  row.scrollIntoView({ block: "nearest" });
}

function search(event) {
  const field = one("main [data-search]") || one("[data-search]");
  if (!field) return;
  event.preventDefault();
  field.focus();
  field.select();
}

/** The page's own button or link of this key. */
const press = (key) => one(`[data-key="${key}"]`)?.click();

const KEYS = {
  "/": search,
  j: () => move(1),
  k: () => move(-1),
  x: () => rowInFocus()?.querySelector('input[name="ids"]')?.click(),
  "?": () => openDialog(one("#keys")),
  r: () => press("r"),
  d: () => press("d"),
  u: () => press("u"),
  e: () => press("e"),
};

/** Ctrl or ⌘ with Enter, from any field of a form that is sent once: as a click on its first button. */
function submitByKey(event) {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
  const form = event.target.closest?.("form.confirm, form[data-once]");
  if (!form) return;
  event.preventDefault();
  form.requestSubmit(one("button:not([type=button])", form));
}

/** Ctrl or ⌘ with K, from anywhere: to the box on top, which says where one can go. */
function openPalette(event) {
  const box = one("#jump");
  if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey || !box) return;
  if (one("dialog[open]")) return;
  event.preventDefault();
  box.focus();
  box.select();
  suggest(box);
}

function onKey(event) {
  submitByKey(event);
  openPalette(event);
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (one("dialog[open]")) return;
  if (event.key === "Escape") {
    if (isTyping(event.target)) event.target.blur();
    leaveMenus();
  } else if (!isTyping(event.target) && Object.hasOwn(KEYS, event.key)) {
    KEYS[event.key](event);
  }
}

export function startKeyboard() {
  document.addEventListener("keydown", onKey);
}
