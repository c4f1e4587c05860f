// A payload as a tree that folds, instead of its text; the path of a line shows above it.
import { one, onClick, thousands } from "./page.js";
import { branches, pathOf } from "./payload_lines.js";

const CHUNK = 500;

function span(name, words) {
  const place = document.createElement("span");
  place.className = name;
  place.textContent = words;
  return place;
}

function showPath(node) {
  const place = one("[data-path]");
  if (place) place.textContent = pathOf(node);
}

function value(node) {
  if (node.children) return span("punct", node.value);
  return span(node.value.startsWith('"') ? "str" : "lit", node.value);
}

function drawLine(node) {
  const line = document.createElement(node.children ? "summary" : "div");
  if (node.key) line.append(span("key", node.key), ": ");
  line.append(value(node));
  line.addEventListener("click", () => showPath(node));
  line.addEventListener("focus", () => showPath(node));
  if (node.children) line.append(span("folded", ` … ${node.children.length} ${node.close || ""}`));
  else line.className = "leaf";
  return line;
}

/** A line, and what is inside of it: built only when it is opened. */
function draw(node, depth, isSmall) {
  const line = drawLine(node);
  if (!node.children) return line;
  const branch = document.createElement("details");
  const inside = document.createElement("div");
  branch.append(line, inside, span("punct", node.close || ""));
  const fill = () => {
    if (branch.open && !inside.hasChildNodes()) drawSome(inside, node.children, depth + 1, isSmall);
  };
  branch.addEventListener("toggle", fill);
  branch.open = isSmall || depth < 1 || (depth < 2 && node.children.length <= 30);
  fill();
  return branch;
}

/** A long list comes in pieces: ten thousand lines at once would hold the page. */
function drawSome(inside, nodes, depth, isSmall) {
  inside.append(...nodes.slice(0, CHUNK).map((node) => draw(node, depth, isSmall)));
  if (nodes.length <= CHUNK) return;
  const more = document.createElement("button");
  more.type = "button";
  more.className = "btn quiet sm";
  more.textContent = `+ ${thousands(nodes.length - CHUNK)}`;
  more.addEventListener("click", () => {
    more.remove();
    drawSome(inside, nodes.slice(CHUNK), depth, isSmall);
  });
  inside.append(more);
}

const isTree = (node) => Boolean(node?.classList.contains("tree"));

function plant(pre) {
  const lines = pre.textContent.split("\n");
  const tree = document.createElement("div");
  tree.className = "code tree";
  tree.append(...branches(lines).children.map((node) => draw(node, 0, lines.length <= 300)));
  pre.after(tree);
}

/** Shown with the tree, not with the first path: a bar that appears on focus moves the clicked line away. */
function showPathBar(on) {
  const bar = one("[data-path-bar]");
  if (bar) bar.hidden = !on;
  const path = one("[data-path]");
  if (on && path && !path.textContent) path.textContent = "$";
}

function fold(button) {
  const pre = one(button.dataset.fold);
  const on = button.getAttribute("aria-pressed") !== "true";
  button.setAttribute("aria-pressed", String(on));
  if (on && !isTree(pre.nextElementSibling)) plant(pre);
  pre.hidden = on;
  showPathBar(on);
  if (isTree(pre.nextElementSibling)) pre.nextElementSibling.hidden = !on;
}

export function startPayload() {
  onClick("[data-fold]", fold);
}
