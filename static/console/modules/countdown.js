// How long a moment is away, beside the clock time that the page came with.
import { all } from "./page.js";

const inWords = (left) => (left > 90 ? `${Math.round(left / 60)} min` : `${left} s`);

function show(place) {
  const left = Math.round((new Date(place.dateTime) - Date.now()) / 1000);
  place.dataset.clock ||= place.textContent;
  place.textContent = left > 0 ? `${place.dataset.clock}, ${inWords(left)} left` : place.dataset.clock;
}

export function startCountdown() {
  setInterval(() => all("time[data-until]").forEach(show), 1000);
}
