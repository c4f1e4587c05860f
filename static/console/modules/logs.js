// A log is read from its end: there it begins, and there it stays while more is printed, unless somebody has
// scrolled away from it.
import { all } from "./page.js";

const LOG = "pre[data-at-end]";
const NEAR = 24; // pixels

const end = (box) => box.scrollHeight - box.clientHeight;

/** Where the logs of a part stand, for `scrollBack` once the part was replaced; null: at the end. */
export const places = (part) =>
  all(LOG, part).map((box) => (end(box) - box.scrollTop < NEAR ? null : box.scrollTop));

export function scrollBack(part, before = []) {
  all(LOG, part).forEach((box, place) => {
    box.scrollTop = before[place] ?? end(box);
  });
}

export const startLogs = () => scrollBack(document);
