// What every other module needs of the page it runs in.

/** The first element that fits, or null. */
export const one = (selector, root = document) => root.querySelector(selector);

/** All elements that fit, as an array. */
export const all = (selector, root = document) => [...root.querySelectorAll(selector)];

/** A sentence or an address that the page brought along: `data-…` of its body. */
export const given = (name) => document.body.dataset[name] || "";

/** Such a sentence with its values put in: `said("textLeft", { time: "3 min" })`. */
export const said = (name, values) => given(name).replace(/\{(\w+)\}/g, (_, key) => values[key]);

/** The words for days, hours, minutes and seconds. */
export const units = () => given("textUnits").split(" ");

/** Said to those who hear the page; what is seen does not change. */
export function announce(words) {
  const place = one("#announce");
  if (place) place.textContent = words;
}

const figures = new Intl.NumberFormat("en");

/** 1234567 as 1,234,567. */
export const thousands = (number) => figures.format(number);

/** Whether keys go into this node as text. */
export function isTyping(node) {
  if (!node) return false;
  const isField = /^(INPUT|TEXTAREA|SELECT)$/.test(node.tagName) && !/^(checkbox|radio)$/.test(node.type);
  return isField || node.isContentEditable;
}

/** act(element, event) for a click on, or inside of, what fits; before the element itself hears of it. */
export function onClick(selector, act) {
  document.addEventListener("click", (event) => {
    const found = event.target.closest(selector);
    if (found) act(found, event);
  }, true);
}

const CONTENT = "console:content";

/** act() now, and whenever a part of the page was put in anew. */
export function onContent(act) {
  act();
  document.addEventListener(CONTENT, act);
}

/** Tell all that asked with onContent. */
export const contentChanged = () => document.dispatchEvent(new CustomEvent(CONTENT));
