// Numbers of a report as its table writes them.
import { units } from "./page.js";

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const tenth = new Intl.NumberFormat("en", { minimumFractionDigits: 1, maximumFractionDigits: 1 });

const TENTHS = new Set(["mean", "median", "p90", "p95", "p99"]);
const SIZES = [86400, 3600, 60, 1];

/** A number with the word for seconds. */
const inSeconds = (number) => `${number} ${units().at(-1)}`;

/** The two largest units: 3 h 12 min, 45 s. */
function duration(seconds) {
  if (seconds < 1) return inSeconds(seconds ? tenth.format(seconds) : 0);
  let left = Math.round(seconds);
  const said = [];
  const words = units();
  for (const [place, size] of SIZES.entries()) {
    const number = Math.floor(left / size);
    left -= number * size;
    if (number) said.push(`${whole.format(number)} ${words[place]}`);
    else if (said.length) break;
  }
  return said.slice(0, 2).join(" ");
}

/** For an axis, in one unit: 2.5 d. */
function shortly(seconds) {
  const place = SIZES.findIndex((size) => seconds >= size);
  const number = seconds / SIZES.at(place);
  return `${(Number.isInteger(number) ? whole : tenth).format(number)} ${units().at(place)}`;
}

/** A figure as the table shows it; a day without one has a dash. */
export function figure(value, kind) {
  if (value === null || value === undefined) return "–";
  if (kind === "share") return `${tenth.format(value * 100)} %`;
  if (kind === "duration") return duration(value);
  return TENTHS.has(kind) || !Number.isInteger(value) ? tenth.format(value) : whole.format(value);
}

/** A mark of an axis: as short as its steps allow. */
export function mark(value, kind, step) {
  if (kind === "share") return `${(step < 0.01 ? tenth : whole).format(value * 100)} %`;
  if (kind === "duration") return shortly(value);
  return (step < 1 ? tenth : whole).format(value);
}
