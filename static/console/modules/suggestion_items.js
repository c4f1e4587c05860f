// An item of the list of suggestions: its text, what it is, how often it is there.
import { thousands } from "./page.js";

export function itemOf(suggestion, id) {
  const item = document.createElement("li");
  item.id = id;
  item.setAttribute("role", "option");
  item.setAttribute("aria-selected", "false");
  item.dataset.text = suggestion.text;
  const add = (className, text) => {
    const part = document.createElement("span");
    part.className = className;
    part.textContent = text;
    item.append(part, " ");
  };
  add("mono", suggestion.text);
  if (suggestion.words) add("muted", suggestion.words);
  if (suggestion.count !== null) add("count", thousands(suggestion.count));
  return item;
}
