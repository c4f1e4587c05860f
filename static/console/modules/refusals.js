// A button that may not act says why instead.
import { onClick, one } from "./page.js";
import { toast } from "./toasts.js";

export function startRefusals() {
  onClick('[aria-disabled="true"]', (button, event) => {
    event.preventDefault();
    event.stopImmediatePropagation();
    // a finger sees no title; the toasts' place reads it aloud too
    one("#toasts .info")?.remove();
    toast(button.title, "info");
  });
}
