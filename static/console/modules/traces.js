// A stack trace with the frames of one's own code only.
import { all, one, onContent } from "./page.js";

const LIBRARY = new RegExp([
  "site-packages|dist-packages",
  String.raw`[/\\]lib[/\\]python|<frozen `,
  String.raw`^\s*at (?:java|javax|jdk|sun|scala|akka)\.`,
  String.raw`^\s*at org\.(?:apache|springframework|hibernate|postgresql)\.`,
  "node_modules|node:internal",
].join("|"));

/** For each line whether it belongs to a library's frame. */
function libraryLines(lines) {
  let inLibrary = false;
  return lines.map((line) => {
    const isFrame = /^\s+(?:File "|at )/.test(line);
    if (isFrame) inLibrary = LIBRARY.test(line);
    else if (!/^\s{4,}/.test(line)) inLibrary = false;
    return inLibrary;
  });
}

function lineOf(words, isLibrary) {
  const place = document.createElement("span");
  if (isLibrary) place.className = "lib";
  place.textContent = words;
  return place;
}

/** Mark the lines of libraries, and offer to hide them if there are any. */
function split(button) {
  const pre = one(button.dataset.appFrames);
  if (!pre || pre.dataset.split) return;
  pre.dataset.split = "1";
  const lines = pre.textContent.split("\n");
  const isLibrary = libraryLines(lines);
  if (!isLibrary.includes(true)) return;
  // a hidden line takes its line break with it
  const broken = lines.map((line, i) => (i < lines.length - 1 ? `${line}\n` : line));
  pre.replaceChildren(...broken.map((line, i) => lineOf(line, isLibrary[i])));
  button.hidden = false;
}

export function startTraces() {
  onContent(() => all("[data-app-frames]").forEach(split));
}
