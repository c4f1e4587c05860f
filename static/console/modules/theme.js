// The button that goes from the system's theme to light, to dark and back. ../theme.js applies the choice.
import { iconAddress } from "./icons.js";
import { all, announce, given, onClick, onContent } from "./page.js";

const THEMES = ["auto", "light", "dark"];
const ICONS = { auto: "auto", light: "sun", dark: "moon" };

const root = document.documentElement;
const current = () => root.dataset.theme || "auto";

function showTheme() {
  const address = iconAddress(ICONS[current()]);
  all("[data-theme-toggle] use").forEach((use) => use.setAttribute("href", address));
}

function keep(theme) {
  try {
    localStorage.setItem("theme", theme);
  } catch {
    // storage is off: it holds for this page
  }
}

function nextTheme() {
  const next = THEMES[(THEMES.indexOf(current()) + 1) % THEMES.length];
  if (next === "auto") delete root.dataset.theme;
  else root.dataset.theme = next;
  keep(next);
  showTheme();
  document.dispatchEvent(new CustomEvent("themechange"));
  announce(given("textThemes").split(" ")[THEMES.indexOf(next)]);
}

export function startTheme() {
  onClick("[data-theme-toggle]", nextTheme);
  onContent(showTheme);
}
