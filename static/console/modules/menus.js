// A menu is a `details` that closes when one looks elsewhere.
import { all, one, onClick } from "./page.js";

const OPEN = "details.menu[open]";

/** Close the open menus; the cursor goes back to what opened them. */
export function leaveMenus() {
  all(OPEN).forEach((menu) => {
    menu.open = false;
    one("summary", menu).focus();
  });
}

function closeOthers(event) {
  all(OPEN).forEach((menu) => {
    if (!menu.contains(event.target)) menu.open = false;
  });
}

export function startMenus() {
  // what a menu opened stands in a dialog; the menu has done its work
  onClick(".panel [data-bulk], .panel [data-open-dialog]", (item) => {
    item.closest("details.menu").open = false;
  });
  document.addEventListener("click", closeOthers, true);
}
