// Numbers of a report as its table writes them.

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const tenth = new Intl.NumberFormat("en", { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** A figure as the table shows it; a day without one has a dash. */
export function figure(value, kind) {
  if (value === null || value === undefined) return "–";
  if (kind === "share") return `${tenth.format(value * 100)} %`;
  return kind === "mean" || !Number.isInteger(value) ? tenth.format(value) : whole.format(value);
}

/** A mark of an axis: as short as its steps allow. */
export function mark(value, kind, step) {
  if (kind === "share") return `${(step < 0.01 ? tenth : whole).format(value * 100)} %`;
  return (step < 1 ? tenth : whole).format(value);
}
