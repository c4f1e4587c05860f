// "Copy": the text of the element that the button names.
import { given, one, onClick } from "./page.js";
import { toast } from "./toasts.js";

/** Plain http has no clipboard API. */
function copyTheOldWay(words) {
  const field = document.createElement("textarea");
  field.value = words;
  field.className = "visually-hidden";
  document.body.append(field);
  field.select();
  document.execCommand("copy");
  field.remove();
}

async function copy(words) {
  try {
    await navigator.clipboard.writeText(words);
  } catch {
    copyTheOldWay(words);
  }
  toast(given("textCopied"), "success");
}

export function startCopying() {
  onClick("[data-copy]", (button) => copy(one(button.dataset.copy)?.textContent || ""));
}
