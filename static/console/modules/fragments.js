// What htmx asks and gets: our token, what is taken of an answer, and the sentence of an error.
import { openDialog } from "./dialogs.js";
import { contentChanged, given, isTyping, one } from "./page.js";
import { isSignIn, signInAgain } from "./session.js";
import { toast } from "./toasts.js";

const DIALOG = "dialog-body";

const parsed = (body) => new DOMParser().parseFromString(body, "text/html");

/** The one sentence of an answer: its error page's, or its plain text. */
function sentenceOf(body, kind) {
  if (!/html/.test(kind || "")) return (body || "").trim().slice(0, 400);
  const page = parsed(body);
  const place = one("[data-error-sentence]", page) || one(".note.error", page);
  return place ? place.textContent.trim().replace(/\s+/g, " ").slice(0, 400) : "";
}

function leaveIfSessionIsOver(detail) {
  if (!isSignIn(detail.xhr.responseURL || location.href)) return;
  detail.shouldSwap = false;
  signInAgain();
}

/** A form that was not understood comes back with its sentences, into its dialog or its own place. */
function takeRefusedForm(detail) {
  const { xhr, target } = detail;
  const isPlaceOfForm = target?.id === DIALOG || target?.tagName === "FORM";
  if (xhr.status !== 422 || !isPlaceOfForm || !/<form/.test(xhr.responseText)) return;
  detail.shouldSwap = true;
  detail.isError = false;
}

/** A whole page asked for as a fragment: keep only the part that replaces the target. */
function takePart(detail) {
  const { serverResponse, shouldSwap, target } = detail;
  if (!shouldSwap || !target?.id || !/<html/i.test(serverResponse?.slice(0, 400))) return;
  const page = parsed(serverResponse);
  const part = target.id === DIALOG ? one("main form.card", page) : page.getElementById(target.id);
  if (part) detail.serverResponse = part.outerHTML;
}

/** What was confirmed on the list is told by a toast: the dialog is done with. */
function closeDialogForToast(detail) {
  if (detail.target?.id === "toasts") one("#dialog")?.close();
}

function beforeSwap({ detail }) {
  leaveIfSessionIsOver(detail);
  takeRefusedForm(detail);
  takePart(detail);
  closeDialogForToast(detail);
}

function onRefusal({ detail: { xhr } }) {
  if (xhr.status === 401) {
    signInAgain();
    return;
  }
  const sentence = sentenceOf(xhr.responseText, xhr.getResponseHeader("Content-Type"));
  toast(sentence || `${given("textError")} (${xhr.status})`);
}

function afterSettle({ detail }) {
  if (detail.target?.id === DIALOG) openDialog(one("#dialog"));
  else contentChanged();
}

/** The list anew, with the filter, the place and the ticks that it had; not under somebody's hands. */
function showListAnew() {
  const results = one("#results");
  if (!results || one("dialog[open]") || isTyping(document.activeElement)) return;
  htmx.ajax("GET", location.href, { target: results, swap: "outerHTML" });
}

const root = document.documentElement;
const offline = () => toast(given("textOffline"));

const REACTIONS = {
  "htmx:configRequest": ({ detail }) => {
    detail.headers["X-CSRFToken"] = one('meta[name="csrf-token"]').content;
  },
  "htmx:beforeRequest": () => root.classList.add("is-busy"),
  "htmx:afterRequest": () => root.classList.remove("is-busy"),
  "htmx:beforeSwap": beforeSwap,
  "htmx:responseError": onRefusal,
  "htmx:sendError": offline,
  "htmx:timeout": offline,
  "htmx:afterSettle": afterSettle,
  "operation-over": showListAnew,
};

export function startFragments() {
  Object.entries(REACTIONS).forEach(([name, react]) => document.addEventListener(name, react));
}
