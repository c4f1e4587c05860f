// Moments that the server tells in UTC, once more by the clock of whoever looks, where that is another one.

const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
const day = new Intl.DateTimeFormat("en-GB", { weekday: "short" });

export function startLocalTimes() {
  tell(document);
  document.addEventListener("htmx:afterSwap", (event) => tell(event.target));
}

function tell(root) {
  for (const place of root.querySelectorAll("[data-local]")) {
    const moment = new Date(place.dataset.local);
    place.textContent = `${words(moment)} ${here}, your time`;
    place.hidden = moment.getTimezoneOffset() === 0;
  }
}

function words(moment) {
  const date = `${moment.getFullYear()}-${two(moment.getMonth() + 1)}-${two(moment.getDate())}`;
  return `${day.format(moment)} ${date} ${two(moment.getHours())}:${two(moment.getMinutes())}`;
}

function two(number) {
  return String(number).padStart(2, "0");
}
