// A button that may not act says why instead.
import { announce, onClick } from "./page.js";

export function startRefusals() {
  onClick('[aria-disabled="true"]', (button, event) => {
    event.preventDefault();
    event.stopImmediatePropagation();
    announce(button.title);
  });
}
