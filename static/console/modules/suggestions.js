// Suggestions below the filter's box: arrows choose, Enter or Tab takes, Escape closes. Without this file the
// box is a plain field.
import { announce, one, said } from "./page.js";
import { itemOf } from "./suggestion_items.js";

const BOX = "[data-suggestions]";
const WAIT = 150; // milliseconds after a key
const STEPS = { ArrowDown: 1, ArrowUp: -1 };

let asked = 0;
let timer = 0;
let begin = 0;
let chosen = -1;

const listOf = (box) => one(`#${box.getAttribute("aria-controls")}`);
const options = (box) => [...listOf(box).children];

function close(box) {
  asked += 1;
  clearTimeout(timer);
  chosen = -1;
  listOf(box).hidden = true;
  box.setAttribute("aria-expanded", "false");
  box.removeAttribute("aria-activedescendant");
}

function show(box, answer) {
  ({ begin } = answer);
  const items = answer.suggestions.map((each, number) => itemOf(each, `${listOf(box).id}-${number}`));
  const list = listOf(box);
  list.replaceChildren(...items);
  chosen = -1;
  list.hidden = !items.length;
  box.setAttribute("aria-expanded", String(items.length > 0));
  box.removeAttribute("aria-activedescendant");
  if (items.length) announce(said("textSuggestions", { n: items.length }));
}

async function ask(box) {
  asked += 1;
  const mine = asked;
  const text = box.value.slice(0, box.selectionStart);
  const address = `${box.dataset.suggestions}?${new URLSearchParams({ text })}`;
  const response = await fetch(address, { credentials: "same-origin", redirect: "manual" }).catch(() => null);
  if (!response?.ok) return;
  const answer = await response.json();
  if (mine === asked && document.activeElement === box) show(box, answer);
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
  const { text } = item.dataset;
  const isBegun = /[:.]$/.test(text); // a key: its value comes next
  const rest = box.value.slice(box.selectionStart).replace(/^[^\s)]*/, "");
  const before = box.value.slice(0, begin) + text + (isBegun || /^\s/.test(rest) ? "" : " ");
  box.value = before + rest;
  box.setSelectionRange(before.length, before.length);
  close(box);
  box.focus();
  if (isBegun) ask(box);
}

function actionOf(box, key) {
  if (listOf(box).hidden) return key === "ArrowDown" ? () => ask(box) : null;
  if (STEPS[key]) return () => choose(box, STEPS[key]);
  if (key === "Escape") return () => close(box);
  const item = options(box)[chosen];
  return item && ["Enter", "Tab"].includes(key) ? () => take(box, item) : null;
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
  document.addEventListener("input", (event) => {
    const box = event.target.closest?.(BOX);
    if (!box || event.inputType === "insertFromPaste") return;
    clearTimeout(timer);
    timer = setTimeout(() => ask(box), WAIT);
  });
  document.addEventListener("focusout", (event) => {
    const box = event.target.closest?.(BOX);
    if (box) close(box);
  });
  document.addEventListener("mousedown", (event) => {
    const item = event.target.closest?.(".suggestions [role=option]");
    if (!item) return;
    event.preventDefault();
    take(one(`[aria-controls="${item.parentElement.id}"]`), item);
  });
}
