// Typing and clicking count as activity: whoever writes for half an hour in one form is not signed out, and
// does not lose it. A page that only asks for news by itself says nothing of the kind.
import { given } from "./page.js";

const BETWEEN = 60_000;
let told = Date.now();

function tell() {
  if (Date.now() - told < BETWEEN) return;
  told = Date.now();
  // the sign-in page leads away who is signed in: the cheapest question there is
  fetch(given("login"), { method: "HEAD", redirect: "manual", credentials: "same-origin" }).catch(() => {});
}

export function startActivity() {
  for (const what of ["input", "keydown", "pointerdown"]) document.addEventListener(what, tell);
}
