// Live updates: the page is asked again every few seconds and its parts are compared by id. A part that the
// person points at, types in, has ticked, unfolded or marked text in is left alone; rows never move, new
// ones are only announced.
import { mergeParts } from "./live_parts.js";
import { mergeRows } from "./live_rows.js";
import { all, one } from "./page.js";
import { isSignIn, signInAgain } from "./session.js";

const asked = new Map();

const VISITORS = "here"; // the part that only names who else has the page open

/** Behind an open dialog nothing changes but that: who is about to act is here all the same. */
function targetOf(live) {
  if (one("dialog[open]")) return VISITORS;
  return live.closest("#results") ? "results" : live.id;
}

function ask(target) {
  const headers = { "HX-Request": "true", "HX-Target": target, "X-Live": "1" };
  return fetch(location.href, { headers, credentials: "same-origin" });
}

function merge(live, fresh) {
  if (live.hasAttribute("data-live-rows") || !one("[data-part]", live)) mergeRows(live, fresh);
  mergeParts(live, fresh);
  // an operation that has ended needs no more questions, but its page may look different now
  const again = fresh.getElementById(live.id);
  if (again && !again.hasAttribute("data-live")) live.removeAttribute("data-live");
}

async function refresh(live) {
  const target = targetOf(live);
  let answer;
  try {
    answer = await ask(target);
  } catch {
    return; // the next beat tries again; a toast every few seconds would help nobody
  }
  if (answer.status === 401 || isSignIn(answer.url)) {
    if (target !== VISITORS) signInAgain(); // else something typed would be lost for a name
  } else if (answer.ok && live.isConnected) {
    merge(live, new DOMParser().parseFromString(await answer.text(), "text/html"));
  }
}

function refreshIfDue(live, now) {
  if (!asked.has(live.id)) asked.set(live.id, now);
  if (now - asked.get(live.id) < Number(live.dataset.live) * 1000) return;
  asked.set(live.id, now + 60_000); // one question at a time
  refresh(live).finally(() => asked.set(live.id, Date.now()));
}

function beat() {
  if (document.hidden || (one("dialog[open]") && !one("#visitors"))) return;
  const now = Date.now();
  all("[data-live]").forEach((live) => refreshIfDue(live, now));
}

export function startLive() {
  document.addEventListener("visibilitychange", beat);
  setInterval(beat, 1000);
}
