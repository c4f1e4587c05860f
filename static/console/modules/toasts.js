// Short notices in the corner.
import { icon } from "./icons.js";
import { given, one, onClick } from "./page.js";

function closeButton(note) {
  const close = document.createElement("button");
  close.type = "button";
  close.className = "btn quiet sm square";
  close.setAttribute("aria-label", given("textClose"));
  close.append(icon("close"));
  close.addEventListener("click", () => note.remove());
  return close;
}

const ICONS = { error: "warning", info: "info" };

/** Show a sentence; an error stays until it is read, a small success goes by itself. */
export function toast(sentence, tone = "error") {
  const note = document.createElement("div");
  const words = document.createElement("div");
  note.className = `note ${tone}`;
  note.setAttribute("role", tone === "error" ? "alert" : "status");
  words.className = "grow";
  words.textContent = sentence;
  note.append(icon(ICONS[tone] ?? "succeeded"), words, closeButton(note));
  one("#toasts").append(note);
  if (tone !== "error") setTimeout(() => note.remove(), 4000);
}

/** Those that the server made, with buttons of their own, stay until they are closed. */
export function startToasts() {
  onClick("[data-close-toast]", (button) => button.closest(".note").remove());
}
