// On a small screen the sections scroll sideways; the one we are in must be seen.
import { one } from "./page.js";

export function startSections() {
  const section = one(".nav [aria-current]");
  if (section) one(".nav ul").scrollLeft = section.offsetLeft - 60;
}
