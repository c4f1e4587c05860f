// Runs in <head>, before the first paint: a stored choice of theme must not flash the other one. That is why
// it is no module: a module waits until the whole page is read.
{
  const root = document.documentElement;
  root.classList.add("js");
  try {
    const theme = localStorage.getItem("theme");
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  } catch {
    // storage is off: the system's preference holds
  }
  // the server writes times by this clock, from the next page on (console/parts/viewers_zone.py)
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const rest = location.protocol === "https:" ? "; secure" : "";
  document.cookie = `dlq_zone=${zone}; path=/; max-age=31536000; samesite=lax${rest}`;
}
