// Forms: sent once, and without their empty fields, so that the address is one that people can share.
import { all } from "./page.js";

const DROP_EMPTY = "[data-drop-empty]";

/** The second click of a double click; the server would recognise it too, by its request key. */
function sendOnce(form, event) {
  if (form.dataset.sent) {
    event.preventDefault();
    return;
  }
  form.dataset.sent = "1";
  setTimeout(() => { delete form.dataset.sent; }, 5000);
}

function disableEmpty(form) {
  all("input, select", form).forEach((field) => {
    if (!field.value) field.disabled = true;
  });
}

function onSubmit(event) {
  const form = event.target;
  if (form.matches(DROP_EMPTY) && !form.hasAttribute("hx-get")) disableEmpty(form);
  if (form.matches("[data-once]")) sendOnce(form, event);
}

/** The same for what htmx sends. */
function beforeRequest({ detail: { elt, formData } }) {
  if (formData.get("scope") === "all") formData.delete("ids"); // "all" is the filter's business
  if (!elt.matches(DROP_EMPTY)) return;
  [...formData.entries()].forEach(([name, value]) => {
    if (value === "") formData.delete(name);
  });
}

/** Back may bring the page out of the browser's memory with yesterday's disabled fields. */
function onShow(event) {
  if (!event.persisted) return;
  all(`${DROP_EMPTY} :disabled`).forEach((field) => { field.disabled = false; });
}

export function startForms() {
  document.addEventListener("submit", onSubmit);
  document.addEventListener("htmx:configRequest", beforeRequest);
  addEventListener("pageshow", onShow);
}
