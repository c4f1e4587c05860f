// Back: a list stands as it was left, with its filter and its place.
import { onClick } from "./page.js";

// where in the list, not which list
const PLACES = ["cursor", "size", "stay"];

let isLeaving = false;

/** Keep values beside this page's entry in the history. */
export function keepForBack(values) {
  if (!isLeaving) history.replaceState({ ...history.state, ...values }, "");
}

/** Before htmx adds an address to the history: on Back the page before is loaded anew, from its top. */
const keepPlace = () => keepForBack({ place: scrollY });

/** htmx would do the same, but without the place. The entry is the other page's already. */
function loadAnew(event) {
  if (!event.state?.htmx) return;
  event.stopImmediatePropagation();
  isLeaving = true;
  location.reload();
}

function returnToPlace() {
  const { place, ...state } = history.state || {};
  if (place === undefined) return;
  history.replaceState(state, "");
  scrollTo(0, place);
}

function listOf(address) {
  const url = new URL(address, location.href);
  PLACES.forEach((name) => url.searchParams.delete(name));
  return `${url.pathname}?${url.searchParams}`;
}

/** A link to the list that one came from goes back in the history, where the browser knows this. */
function goBack(link, event) {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.defaultPrevented) return;
  const now = globalThis.navigation?.currentEntry;
  const before = now && globalThis.navigation.entries()[now.index - 1]?.url;
  if (!before || listOf(before) !== listOf(link.href)) return;
  event.preventDefault();
  history.back();
}

export function startBack() {
  returnToPlace();
  addEventListener("popstate", loadAnew, { capture: true });
  document.addEventListener("htmx:beforeHistoryUpdate", keepPlace);
  onClick("a[data-back]", goBack);
}
