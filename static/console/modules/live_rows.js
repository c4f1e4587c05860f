// Live updates of a list: rows change in place and never move; new ones are only announced.
import { isInUse } from "./live_parts.js";
import { all, one, said, thousands } from "./page.js";

const ROW = "tr[data-row]";

/** The cells' contents; a cell with a tick box keeps it. */
function copyCells(row, other) {
  [...row.cells].forEach((cell, i) => {
    const source = other.cells[i];
    if (!source || one("input", cell) || cell.innerHTML === source.innerHTML) return;
    cell.replaceChildren(...[...source.childNodes].map((node) => document.importNode(node, true)));
  });
}

function offer(arrived, isMore) {
  const chip = one("#arrivals");
  if (!chip || !arrived) return;
  chip.textContent = said(isMore ? "textMoreArrived" : "textArrived", { n: thousands(arrived) });
  chip.href = location.href;
  chip.hidden = false;
}

/** Bring the rows of `live` up to date, strike what is gone, offer what arrived. */
export function mergeRows(live, fresh) {
  const listed = all(ROW, fresh);
  const rows = new Map(listed.map((row) => [row.id, row]));
  const here = all(ROW, live);
  const known = new Set(here.map((row) => row.id));
  // what stands above the last known row arrived, wherever the order puts it; what follows moved up a page
  const lastKnown = listed.findLastIndex((row) => known.has(row.id));
  const above = lastKnown < 0 ? listed : listed.slice(0, lastKnown);
  const arrived = above.filter((row) => !known.has(row.id)).length;
  const lastKept = here.findLastIndex((row) => rows.has(row.id));
  here.forEach((row, place) => {
    const other = rows.get(row.id);
    // at the end of the page arrivals may just have pushed it to the next one
    row.classList.toggle("is-gone", !other && (place < lastKept || !arrived));
    if (other && !isInUse(row)) copyCells(row, other);
  });
  offer(arrived, lastKnown < 0);
}
