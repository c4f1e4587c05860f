// Icons as the templates draw them, from the same file.
import { one } from "./page.js";

const SVG = "http://www.w3.org/2000/svg";

// the page itself says where the file is
const file = one("use")?.getAttribute("href").split("#")[0] || "";

/** The address of an icon, for a `use`. */
export const iconAddress = (name) => `${file}#${name}`;

/** A new icon; decoration only. */
export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  const use = document.createElementNS(SVG, "use");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  use.setAttribute("href", iconAddress(name));
  svg.append(use);
  return svg;
}
