// Dragging over the bars of a chart chooses a part of it: the form behind the chart has the same choice.
import { one } from "./page.js";

const SVG = "http://www.w3.org/2000/svg";

/** The bar under the pointer, by its number. */
function barAt(chart, event) {
  const box = chart.getBoundingClientRect();
  const bars = chart.viewBox.baseVal.width;
  return Math.min(Math.max(Math.floor(((event.clientX - box.left) / box.width) * bars), 0), bars - 1);
}

function mark(chart, from, to) {
  const area = one(".brush", chart) ?? chart.appendChild(document.createElementNS(SVG, "rect"));
  const sides = { class: "brush", x: Math.min(from, to), y: 0, width: Math.abs(to - from) + 1, height: 100 };
  Object.entries(sides).forEach(([name, value]) => area.setAttribute(name, value));
}

function choose(form, from, to) {
  form.elements.since.selectedIndex = Math.min(from, to);
  form.elements.until.selectedIndex = Math.max(from, to);
  form.requestSubmit();
}

function drag(chart, form, start) {
  const from = barAt(chart, start);
  let to = from;
  const move = (event) => {
    to = barAt(chart, event);
    if (to !== from || one(".brush", chart)) mark(chart, from, to);
  };
  const over = new AbortController();
  const end = ({ type }) => {
    over.abort();
    if (to !== from && type === "pointerup") choose(form, from, to);
    else one(".brush", chart)?.remove(); // a click: the bar's own link
  };
  const options = { signal: over.signal };
  addEventListener("pointermove", move, options);
  addEventListener("pointerup", end, options);
  addEventListener("pointercancel", end, options);
}

export function startBrush() {
  document.addEventListener("pointerdown", (event) => {
    const chart = event.target.closest?.("svg.bars");
    const form = chart && one("[data-brush] form", chart.closest(".bars-frame").parentElement);
    if (form && event.button === 0) drag(chart, form, event);
  });
  // a link under the pointer is not dragged away
  document.addEventListener(
    "dragstart",
    (event) => event.target.closest?.("svg.bars") && event.preventDefault(),
  );
}
