// Buttons that show more or less of something, and say so.
import { one, onClick } from "./page.js";

function toggle(button, target, name, attribute) {
  button.setAttribute(attribute, String(one(target).classList.toggle(name)));
}

export function startToggles() {
  onClick("[data-toggle-open]", (button) => {
    toggle(button, button.dataset.toggleOpen, "open", "aria-expanded");
  });
  onClick("[data-app-frames]", (button) => {
    toggle(button, button.dataset.appFrames, "app-only", "aria-pressed");
  });
}
