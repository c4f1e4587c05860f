// Suggestions below the filter's box: arrows choose, Enter or Tab takes, Escape closes. Without this file the
// box is a plain field. A field beside it writes its term into the box.
import { announce, one, thousands } from "./page.js";

const BOX = "[data-suggestions]";
const WAIT = 150; // milliseconds after a key

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

function option(box, suggestion, number) {
  const item = document.createElement("li");
  item.id = `${listOf(box).id}-${number}`;
  item.setAttribute("role", "option");
  item.setAttribute("aria-selected", "false");
  item.dataset.text = suggestion.text;
  const add = (className, text) => {
    const part = document.createElement("span");
    part.className = className;
    part.textContent = text;
    item.append(part, " ");
  };
  add("mono", suggestion.text);
  if (suggestion.words) add("muted", suggestion.words);
  if (suggestion.count !== null) add("count", thousands(suggestion.count));
  return item;
}

function show(box, answer) {
  ({ begin } = answer);
  const items = answer.suggestions.map((each, number) => option(box, each, number));
  const list = listOf(box);
  list.replaceChildren(...items);
  chosen = -1;
  list.hidden = !items.length;
  box.setAttribute("aria-expanded", String(items.length > 0));
  box.removeAttribute("aria-activedescendant");
  if (items.length) announce(`${items.length} suggestions`);
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

function askSoon(box) {
  clearTimeout(timer);
  timer = setTimeout(() => ask(box), WAIT);
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

function onKey(event) {
  const box = event.target.closest?.(BOX);
  if (!box || event.isComposing) return;
  const isOpen = !listOf(box).hidden;
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const item = options(box)[chosen];
  if (step && isOpen) choose(box, step);
  else if (event.key === "ArrowDown") ask(box);
  else if (event.key === "Escape" && isOpen) close(box);
  else if ((event.key === "Enter" || event.key === "Tab") && isOpen && item) take(box, item);
  else {
    if (event.key === "Enter") close(box);
    return;
  }
  event.preventDefault();
}

/** The field's value as a term of the box, in place of an earlier one of the same key. */
function writeTerm(field, box) {
  const value = field.value.trim();
  if (!value) return;
  const term = `${field.name}:${/^[^\s()[\]",\\*<>]+$/.test(value) ? value : JSON.stringify(value)}`;
  const same = new RegExp(`(^|\\s)${field.name}:(?:"(?:[^"\\\\]|\\\\.)*"|[^\\s()"[]+)(?=\\s|$)`);
  const now = box.value.trim();
  const isAlone = !/[()]|\sOR\s/.test(now); // inside of an expression, nothing is replaced
  const before = now && !isAlone ? `(${now})` : now;
  box.value =
    isAlone && same.test(now)
      ? now.replace(same, (_all, space) => space + term)
      : `${before} ${term}`.trim();
  field.value = "";
}

/** Fields write their terms just before the form goes. */
function onSubmit(event) {
  const box = one(BOX, event.target);
  if (!box) return;
  close(box);
  event.target.querySelectorAll("input[name], select[name]").forEach((field) => {
    if (field !== box && field.type !== "hidden") writeTerm(field, box);
  });
}

export function startSuggestions() {
  document.addEventListener("keydown", onKey, true);
  document.addEventListener("submit", onSubmit, true);
  document.addEventListener("input", (event) => {
    const box = event.target.closest?.(BOX);
    if (box && event.inputType !== "insertFromPaste") askSoon(box);
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
