// Fields beside the filter's box write their terms into it.
import { one } from "./page.js";

/** The field's value as a term of the box, in place of an earlier one of the same key. */
function writeTerm(field, box) {
  const value = field.value.trim();
  if (!value) return;
  const term = `${field.name}:${/^[^\s()[\]",\\*<>]+$/.test(value) ? value : JSON.stringify(value)}`;
  const same = new RegExp(`(^|\\s)${field.name}:(?:"(?:[^"\\\\]|\\\\.)*"|[^\\s()"[]+)(?=\\s|$)`);
  const now = box.value.trim();
  const isAlone = !/[()]|\sOR\s/.test(now); // inside of an expression, nothing is replaced
  const before = now && !isAlone ? `(${now})` : now;
  box.value =
    isAlone && same.test(now)
      ? now.replace(same, (_all, space) => space + term)
      : `${before} ${term}`.trim();
  field.value = "";
}

/** Fields write their terms just before the form goes. */
function onSubmit(event) {
  const box = one("[data-suggestions]", event.target);
  if (!box) return;
  event.target.querySelectorAll("input[name], select[name]").forEach((field) => {
    if (field !== box && field.type !== "hidden") writeTerm(field, box);
  });
}

export function startFilterTerms() {
  document.addEventListener("submit", onSubmit, true);
}
