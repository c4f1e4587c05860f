// Moments that the server tells in UTC, once more by the clock of whoever looks.

const clock = new Intl.DateTimeFormat("en-GB", {
  weekday: "short", year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit",
  timeZoneName: "short",
});

export function startLocalTimes() {
  tell(document);
  document.addEventListener("htmx:afterSwap", (event) => tell(event.target));
}

function tell(root) {
  for (const place of root.querySelectorAll("[data-local]")) {
    place.textContent = clock.format(new Date(place.dataset.local));
    place.hidden = false;
  }
  for (const head of root.querySelectorAll("[data-local-head]")) head.hidden = false;
}
