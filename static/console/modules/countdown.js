// How long a moment is away, beside the clock time that the page came with.
import { all, said, units } from "./page.js";

function inWords(left) {
  const [, , minutes, seconds] = units();
  return left > 90 ? `${Math.round(left / 60)} ${minutes}` : `${left} ${seconds}`;
}

function show(place) {
  const left = Math.round((new Date(place.dateTime) - Date.now()) / 1000);
  place.dataset.clock ||= place.textContent;
  const { clock } = place.dataset;
  place.textContent = left > 0 ? said("textLeft", { clock, time: inWords(left) }) : clock;
}

export function startCountdown() {
  setInterval(() => all("time[data-until]").forEach(show), 1000);
}
