// Runs in <head>, before the first paint: a stored choice of theme must not flash the other one.
(function () {
  "use strict";
  var root = document.documentElement;
  root.classList.add("js");
  try {
    var theme = localStorage.getItem("theme");
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  } catch (error) {
    // storage is off: the system's preference holds
  }
})();
