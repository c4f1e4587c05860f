// What a box suggests below it, as its server says: texts to put in, or links to follow. Arrows choose, Enter
// or Tab takes, Escape closes. Without this file the box is a plain field.
import { all, announce, one, onClick, said } from "./page.js";

const BOX = "[data-suggestions]";
const OPTION = ".suggestions [role=option]";
const WAIT = 150; // milliseconds after a key
const STEPS = { ArrowDown: 1, ArrowUp: -1 };

let asking = new AbortController();
let timer = 0;
let chosen = -1;

const listOf = (box) => one(`#${box.getAttribute("aria-controls")}`);
const options = (box) => all("[role=option]", listOf(box));

/** A later question, or none: the answer to an earlier one is not shown any more. */
function forget() {
  asking.abort();
  clearTimeout(timer);
  asking = new AbortController();
}

function expand(box, isOpen) {
  chosen = -1;
  listOf(box).hidden = !isOpen;
  box.setAttribute("aria-expanded", String(isOpen));
  box.removeAttribute("aria-activedescendant");
}

function close(box) {
  forget();
  expand(box, false);
}

function show(box, html) {
  listOf(box).replaceChildren(...new DOMParser().parseFromString(html, "text/html").body.childNodes);
  const n = options(box).length;
  expand(box, n > 0);
  if (n) announce(said("textSuggestions", { n }));
}

/** Ask for what fits the text before the caret. */
export async function suggest(box) {
  forget();
  const { signal } = asking;
  const text = box.value.slice(0, box.selectionStart);
  const address = `${box.dataset.suggestions}?${new URLSearchParams({ text })}`;
  const answer = fetch(address, { credentials: "same-origin", redirect: "manual", signal });
  const html = await answer.then((response) => (response.ok ? response.text() : "")).catch(() => "");
  if (!signal.aborted && document.activeElement === box) show(box, html);
}

function choose(box, step) {
  const items = options(box);
  items[chosen]?.setAttribute("aria-selected", "false");
  chosen = (chosen + step + items.length + (chosen < 0 && step < 0 ? 1 : 0)) % items.length;
  items[chosen].setAttribute("aria-selected", "true");
  items[chosen].scrollIntoView({ block: "nearest" });
  box.setAttribute("aria-activedescendant", items[chosen].id);
}

function take(box, item) {
  close(box);
  const { text, begin } = item.dataset;
  if (text === undefined) return; // a link
  const isBegun = /[:.]$/.test(text); // a key: its value comes next
  const rest = box.value.slice(box.selectionStart).replace(/^[^\s)]*/, "");
  const before = box.value.slice(0, begin) + text + (isBegun || /^\s/.test(rest) ? "" : " ");
  box.value = before + rest;
  box.setSelectionRange(before.length, before.length);
  box.focus();
  if (isBegun) suggest(box);
}

function actionOf(box, key) {
  if (listOf(box).hidden) return key === "ArrowDown" ? () => suggest(box) : null;
  if (STEPS[key]) return () => choose(box, STEPS[key]);
  if (key === "Escape") return () => close(box);
  const item = options(box)[chosen];
  return item && ["Enter", "Tab"].includes(key) ? () => item.click() : null;
}

function onKey(event) {
  const box = event.target.closest?.(BOX);
  if (!box || event.isComposing) return;
  const action = actionOf(box, event.key);
  if (action) {
    action();
    event.preventDefault();
  } else if (event.key === "Enter") close(box);
}

export function startSuggestions() {
  document.addEventListener("keydown", onKey, true);
  document.addEventListener("submit", ({ target }) => one(BOX, target) && close(one(BOX, target)), true);
  document.addEventListener("focusout", ({ target }) => target.matches?.(BOX) && close(target));
  document.addEventListener("input", ({ target, inputType }) => {
    if (!target.matches?.(BOX) || inputType === "insertFromPaste") return;
    close(target); // what is listed fits the text no more: no key may take it
    timer = setTimeout(() => suggest(target), WAIT);
  });
  // the cursor stays in the box
  document.addEventListener("mousedown", (event) => event.target.closest?.(OPTION) && event.preventDefault());
  onClick(OPTION, (item) => take(one(`[aria-controls="${item.closest(".suggestions").id}"]`), item));
}
