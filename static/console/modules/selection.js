// Ticked rows. The ticks are the truth. They are remembered by id, so a live update or a swap of the same
// page gives them back; a row that is not on the page is never selected, whatever was remembered.
import { keepForBack } from "./back.js";
import { all, one, onClick, onContent, thousands } from "./page.js";

const FORM = "[data-selection]";
const chosen = new Set();
let anchor = null;

const boxesOf = (form) => all('input[name="ids"]', form);
const scope = (form, value) => one(`input[name="scope"][value="${value}"]`, form);

function showHead(form, ticked, boxes) {
  const head = one("[data-select-page]", form);
  if (!head) return;
  head.checked = ticked > 0 && ticked === boxes;
  head.indeterminate = ticked > 0 && ticked < boxes;
}

/** It names the states that it takes; one that runs handlers skips what has none, and one that puts back on
    queues what failed repeatedly after revivals, unless that is ticked alone. */
const actsOn = (button, box, alone) =>
  button.dataset.bulk.split(" ").includes(box.dataset.status) &&
  !("runsHandlers" in button.dataset && "unhandled" in box.dataset) &&
  (alone || !("leavesComeBacks" in button.dataset && "keepsComing" in box.dataset));

/** The number on a button is that of the rows that it acts on. */
function showButton(form, button, ticked, everything) {
  const able = ticked.filter((box) => actsOn(button, box, ticked.length === 1)).length;
  const words = everything ? button.dataset.matchingWords : thousands(able);
  const idle = !everything && !able;
  one("[data-bulk-count]", button).textContent = everything || ticked.length ? words : "";
  button.setAttribute("aria-disabled", String(idle));
  const why = ticked.length ? form.dataset.textUnable : form.dataset.textPick;
  button.title = idle ? why : "";
}

function showSelection(form) {
  const boxes = boxesOf(form);
  const ticked = boxes.filter((box) => box.checked);
  // by id: the browser itself would tick the boxes at the same places, whatever stands there now
  keepForBack({ ticked: ticked.map((box) => box.value) });
  const everything = Boolean(scope(form, "all")?.checked);
  form.classList.toggle("all-selected", everything);
  all("[data-selected-count]", form).forEach((place) => { place.textContent = thousands(ticked.length); });
  showHead(form, ticked.length, boxes.length);
  all("[data-bulk]", form).forEach((button) => showButton(form, button, ticked, everything));
  const clear = one("[data-clear-selection]", form);
  if (clear) clear.hidden = !ticked.length && !everything;
}

function tick(box, on) {
  box.checked = on;
  if (on) chosen.add(box.value);
  else chosen.delete(box.value);
}

/** Ticking says "these": a scope of all must not linger behind it. */
function choosePage(form) {
  const page = scope(form, "page");
  if (page) page.checked = true;
}

function onTick({ target }) {
  const form = target.closest(FORM);
  if (!form) return;
  if (target.matches("[data-select-page]")) boxesOf(form).forEach((box) => tick(box, target.checked));
  else if (target.name === "ids") tick(target, target.checked);
  if (target.type === "checkbox") choosePage(form);
  showSelection(form);
}

/** With Shift: the whole range from the box clicked before. */
function onRangeClick(box, event) {
  const form = box.closest(FORM);
  if (!form) return;
  const boxes = boxesOf(form);
  const from = boxes.findIndex((other) => other.value === anchor);
  if (event.shiftKey && from >= 0) {
    const to = boxes.indexOf(box);
    const range = boxes.slice(Math.min(from, to), Math.max(from, to) + 1);
    range.forEach((other) => tick(other, box.checked));
  }
  anchor = box.value;
}

function clearSelection(form) {
  boxesOf(form).forEach((box) => tick(box, false));
  chosen.clear();
  choosePage(form);
  showSelection(form);
}

function restore(form) {
  boxesOf(form).forEach((box) => { box.checked = chosen.has(box.value) || box.checked; });
  showSelection(form);
}

export function startSelection() {
  history.state?.ticked?.forEach((id) => chosen.add(id));
  document.addEventListener("htmx:beforeHistoryUpdate", () => all(FORM).forEach(showSelection));
  document.addEventListener("change", onTick);
  onClick('input[name="ids"]', onRangeClick);
  onClick("[data-clear-selection]", (button) => clearSelection(button.closest("form")));
  onContent(() => all(FORM).forEach(restore));
}
