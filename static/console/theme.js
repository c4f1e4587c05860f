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
}
