// What the pages can do beyond plain links and forms. Everything here is an addition: with this file gone
// each page still works. Nothing is evaluated and nothing from the server is ever put in as HTML by hand,
// except whole fragments of our own pages (live updates), which the browser parses inertly.
(function () {
  "use strict";

  const $ = (selector, root = document) => root.querySelector(selector);
  const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
  const text = (name) => document.body.dataset[name] || "";
  const announce = (words) => { const place = $("#announce"); if (place) place.textContent = words; };
  const number = new Intl.NumberFormat("en");
  const isTyping = (node) => !!node && (/^(INPUT|TEXTAREA|SELECT)$/.test(node.tagName) && !/^(checkbox|radio)$/.test(node.type) || node.isContentEditable);

  // ---- toasts ------------------------------------------------------------------------------------
  const icons = document.querySelector("use")?.getAttribute("href").split("#")[0] || "";

  function icon(name) {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
    svg.setAttribute("class", "icon");
    svg.setAttribute("aria-hidden", "true");
    use.setAttribute("href", `${icons}#${name}`);
    svg.append(use);
    return svg;
  }

  function toast(sentence, tone = "error") {
    const note = document.createElement("div");
    const words = document.createElement("div");
    const close = document.createElement("button");
    note.className = `note ${tone}`;
    note.setAttribute("role", tone === "error" ? "alert" : "status");
    words.className = "grow";
    words.textContent = sentence;
    close.type = "button";
    close.className = "btn quiet sm square";
    close.setAttribute("aria-label", text("textClose"));
    close.append(icon("close"));
    close.addEventListener("click", () => note.remove());
    note.append(icon(tone === "error" ? "warning" : "succeeded"), words, close);
    $("#toasts").append(note);
    // an error stays until it is read; a small success may go by itself
    if (tone !== "error") setTimeout(() => note.remove(), 4000);
  }

  /** The one sentence of an answer: its error page's, or its plain text. */
  function sentenceOf(body, kind) {
    if (!/html/.test(kind || "")) return (body || "").trim().slice(0, 400);
    const page = new DOMParser().parseFromString(body, "text/html");
    const place = $("[data-error-sentence]", page) || $(".note.error", page);
    return place ? place.textContent.trim().replace(/\s+/g, " ").slice(0, 400) : "";
  }

  function signInAgain() {
    location.assign(`${text("login")}?next=${encodeURIComponent(location.pathname + location.search)}`);
  }

  // ---- htmx --------------------------------------------------------------------------------------
  document.addEventListener("htmx:configRequest", (event) => {
    event.detail.headers["X-CSRFToken"] = $('meta[name="csrf-token"]').content;
  });
  document.addEventListener("htmx:beforeRequest", () => document.documentElement.classList.add("is-busy"));
  document.addEventListener("htmx:afterRequest", () => document.documentElement.classList.remove("is-busy"));
  document.addEventListener("htmx:beforeSwap", (event) => {
    const { xhr, target } = event.detail;
    // a fragment can never be a login page: the session is over
    if (new URL(xhr.responseURL || location.href, location.href).pathname === text("login")) {
      event.detail.shouldSwap = false;
      signInAgain();
    }
    // a form that was not understood comes back with its sentences, into the dialog it was in
    if (xhr.status === 422 && target?.id === "dialog-body" && /<form/.test(xhr.responseText)) {
      event.detail.shouldSwap = true;
      event.detail.isError = false;
    }
    // a whole page asked for as a fragment: keep only the part that replaces the target
    if (event.detail.shouldSwap && target?.id && /<html/i.test(event.detail.serverResponse?.slice(0, 400))) {
      const page = new DOMParser().parseFromString(event.detail.serverResponse, "text/html");
      const part = target.id === "dialog-body" ? $("main form.card", page) : page.getElementById(target.id);
      if (part) event.detail.serverResponse = part.outerHTML;
    }
  });
  document.addEventListener("htmx:responseError", (event) => {
    const xhr = event.detail.xhr;
    if (xhr.status === 401) return signInAgain();
    toast(sentenceOf(xhr.responseText, xhr.getResponseHeader("Content-Type")) || `${text("textError")} (${xhr.status})`);
  });
  document.addEventListener("htmx:sendError", () => toast(text("textOffline")));
  document.addEventListener("htmx:timeout", () => toast(text("textOffline")));
  document.addEventListener("htmx:afterSettle", (event) => {
    if (event.detail.target?.id === "dialog-body") {
      openDialog($("#dialog"));
    } else {
      enhance(document);
    }
  });

  // ---- theme -------------------------------------------------------------------------------------
  const THEMES = ["auto", "light", "dark"];

  function showTheme() {
    const now = document.documentElement.dataset.theme || "auto";
    const name = { auto: "auto", light: "sun", dark: "moon" }[now];
    $$("[data-theme-toggle] use").forEach((use) => use.setAttribute("href", `${icons}#${name}`));
  }

  function nextTheme() {
    const root = document.documentElement;
    const next = THEMES[(THEMES.indexOf(root.dataset.theme || "auto") + 1) % THEMES.length];
    if (next === "auto") delete root.dataset.theme; else root.dataset.theme = next;
    try { localStorage.setItem("theme", next); } catch { /* storage is off: it holds for this page */ }
    showTheme();
    document.dispatchEvent(new CustomEvent("themechange"));
    announce(next);
  }

  // ---- dialogs -----------------------------------------------------------------------------------
  function openDialog(dialog) {
    if (!dialog.open) dialog.showModal();
    // the reason first; "Close" merely stands before it
    const fields = [...$$("textarea", dialog), ...$$("input:not([type=hidden])", dialog)];
    (fields.find((field) => field.checkVisibility()) || $("button", dialog))?.focus();
  }

  // ---- copy --------------------------------------------------------------------------------------
  async function copy(words) {
    try {
      await navigator.clipboard.writeText(words);
    } catch {
      // plain http has no clipboard API
      const field = document.createElement("textarea");
      field.value = words;
      field.className = "visually-hidden";
      document.body.append(field);
      field.select();
      document.execCommand("copy");
      field.remove();
    }
    toast(text("textCopied"), "success");
  }

  // ---- selection ---------------------------------------------------------------------------------
  // The ticks are the truth. They are remembered by id, so a live update or a swap of the same page gives
  // them back; a row that is not on the page is never selected, whatever was remembered.
  const chosen = new Set();
  let anchor = null;

  const boxesOf = (form) => $$('input[name="ids"]', form);

  function showSelection(form) {
    const boxes = boxesOf(form);
    const ticked = boxes.filter((box) => box.checked).length;
    const all = $('input[name="scope"][value="all"]', form)?.checked;
    form.classList.toggle("all-selected", !!all);
    $$("[data-selected-count]", form).forEach((place) => { place.textContent = number.format(ticked); });
    const head = $("[data-select-page]", form);
    if (head) {
      head.checked = ticked > 0 && ticked === boxes.length;
      head.indeterminate = ticked > 0 && ticked < boxes.length;
    }
    $$("[data-bulk]", form).forEach((button) => {
      const takes = button.dataset.bulk.split(" ");
      const able = boxes.filter((box) => box.checked && takes.includes(box.dataset.status)).length;
      $("[data-bulk-count]", button).textContent = all ? button.dataset.matchingWords : ticked ? number.format(able) : "";
      const idle = !all && !ticked;
      button.setAttribute("aria-disabled", idle ? "true" : "false");
      button.title = idle ? form.dataset.textPick : "";
    });
    const clear = $("[data-clear-selection]", form);
    if (clear) clear.hidden = !ticked && !all;
  }

  function tick(box, on) {
    box.checked = on;
    if (on) chosen.add(box.value); else chosen.delete(box.value);
  }

  function onTick(event) {
    const form = event.target.closest("[data-selection]");
    if (!form) return;
    if (event.target.matches("[data-select-page]")) {
      boxesOf(form).forEach((box) => tick(box, event.target.checked));
    } else if (event.target.name === "ids") {
      tick(event.target, event.target.checked);
    }
    // ticking says "these": a scope of all must not linger behind it
    if (event.target.type === "checkbox") {
      const page = $('input[name="scope"][value="page"]', form);
      if (page) page.checked = true;
    }
    showSelection(form);
  }

  function onRangeClick(event) {
    const box = event.target.closest('input[name="ids"]');
    const form = box?.closest("[data-selection]");
    if (!form) return;
    const boxes = boxesOf(form);
    const from = boxes.findIndex((other) => other.value === anchor);
    if (event.shiftKey && from >= 0) {
      const to = boxes.indexOf(box);
      boxes.slice(Math.min(from, to), Math.max(from, to) + 1).forEach((other) => tick(other, box.checked));
    }
    anchor = box.value;
  }

  function clearSelection(form) {
    boxesOf(form).forEach((box) => tick(box, false));
    chosen.clear();
    const page = $('input[name="scope"][value="page"]', form);
    if (page) page.checked = true;
    showSelection(form);
  }

  // ---- rows by keyboard --------------------------------------------------------------------------
  function move(step) {
    const rows = $$("main tr[data-row]");
    if (!rows.length) {
      const link = $(`main a[rel="${step > 0 ? "next" : "prev"}"]`);
      if (link) link.click();
      return;
    }
    const now = rows.indexOf(document.activeElement?.closest("tr[data-row]"));
    const row = rows[now < 0 ? (step > 0 ? 0 : rows.length - 1) : Math.min(Math.max(now + step, 0), rows.length - 1)];
    const link = $("a[data-open]", row);
    link?.focus({ preventScroll: true });
    row.scrollIntoView({ block: "nearest" });
  }

  /** From the field where the reason is typed: confirmed without a click. */
  function onConfirmKey(event) {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    const form = event.target.closest?.("form.confirm");
    if (form) { event.preventDefault(); form.requestSubmit(); }
  }

  function onKey(event) {
    onConfirmKey(event);
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if ($("dialog[open]")) return;
    if (event.key === "Escape") {
      if (isTyping(event.target)) event.target.blur();
      $$("details.menu[open]").forEach((menu) => { menu.open = false; $("summary", menu).focus(); });
      return;
    }
    if (isTyping(event.target)) return;
    if (event.key === "/") {
      const field = $("main [data-search]") || $("[data-search]");
      if (field) { event.preventDefault(); field.focus(); field.select(); }
    } else if (event.key === "j") {
      move(1);
    } else if (event.key === "k") {
      move(-1);
    } else if (event.key === "x") {
      const box = $('input[name="ids"]', document.activeElement?.closest("tr[data-row]") || document.createElement("i"));
      box?.click();
    } else if (event.key === "?") {
      openDialog($("#keys"));
    } else if (/^[rdue]$/.test(event.key)) {
      $(`[data-key="${event.key}"]`)?.click();
    }
  }

  // ---- live updates ------------------------------------------------------------------------------
  // The page is asked again and its parts are compared by id. A part that the person points at, types in,
  // has ticked, unfolded or marked text in is left alone; rows never move, new ones are only announced.
  const asked = new Map();

  function isInUse(part) {
    const focus = document.activeElement;
    if (focus && focus !== document.body && part.contains(focus)) return true;
    // what is merely under the pointer counts where a click could hit something else after the change
    if (part.matches("tr") ? part.matches(":hover") : $("a:hover, button:hover, summary:hover, tr:hover", part)) return true;
    if ($('input[name="ids"]:checked', part) || $("details[open]", part)) return true;
    const marked = getSelection();
    return !!marked && !marked.isCollapsed && marked.containsNode(part, true);
  }

  function replaceParts(live, fresh) {
    const outside = $$("main [data-part]").filter((part) => part.closest("[data-live]") === live || !part.closest("[data-live]"));
    outside.forEach((part) => {
      const other = part.id && fresh.getElementById(part.id);
      if (!other || other.outerHTML === part.outerHTML || isInUse(part)) return;
      const words = $("[data-announce]", other)?.dataset.announce;
      const before = $("[data-announce]", part)?.dataset.announce;
      const adopted = document.importNode(other, true);
      part.replaceWith(adopted);
      window.htmx?.process(adopted);
      if (words && words !== before) announce(words);
    });
  }

  function replaceRows(live, fresh) {
    const listed = $$("tr[data-row]", fresh);
    const rows = new Map(listed.map((row) => [row.id, row]));
    const here = $$("tr[data-row]", live);
    const known = new Set(here.map((row) => row.id));
    // newest first: what stands above the first known row arrived; what follows the last moved up a page
    const firstKnown = listed.findIndex((row) => known.has(row.id));
    const arrived = firstKnown < 0 ? listed.length : firstKnown;
    const lastKept = here.findLastIndex((row) => rows.has(row.id));
    here.forEach((row, place) => {
      const other = rows.get(row.id);
      // at the end of the page arrivals may just have pushed it to the next one
      row.classList.toggle("is-gone", !other && (place < lastKept || !arrived));
      if (!other || isInUse(row)) return;
      [...row.cells].forEach((cell, i) => {
        if (other.cells[i] && !$("input", cell) && cell.innerHTML !== other.cells[i].innerHTML) {
          cell.replaceChildren(...[...other.cells[i].childNodes].map((node) => document.importNode(node, true)));
        }
      });
    });
    const chip = $("#arrivals");
    if (chip && arrived) {
      const all = firstKnown < 0 ? " or more" : "";
      chip.textContent = `${number.format(arrived)}${all} new, show them`;
      chip.href = location.href;
      chip.hidden = false;
    }
  }

  async function refresh(live) {
    let answer;
    try {
      answer = await fetch(location.href, { headers: { "HX-Request": "true", "HX-Target": live.closest("#results") ? "results" : live.id, "X-Live": "1" }, credentials: "same-origin" });
    } catch {
      return; // the next beat tries again; a toast every few seconds would help nobody
    }
    if (answer.status === 401 || new URL(answer.url).pathname === text("login")) return signInAgain();
    if (!answer.ok || !live.isConnected) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (live.hasAttribute("data-live-rows") || !$("[data-part]", live)) replaceRows(live, fresh);
    replaceParts(live, fresh);
    // an operation that has ended needs no more questions, but its page may look different now
    const again = fresh.getElementById(live.id);
    if (again && !again.hasAttribute("data-live")) live.removeAttribute("data-live");
  }

  /** How long a moment is away, beside the clock time that the page came with. */
  function countDown() {
    $$("time[data-until]").forEach((place) => {
      const left = Math.round((new Date(place.dateTime) - Date.now()) / 1000);
      const clock = place.dataset.clock || (place.dataset.clock = place.textContent);
      place.textContent = left > 0 ? `${clock}, ${left > 90 ? `${Math.round(left / 60)} min` : `${left} s`} left` : clock;
    });
  }

  function beat() {
    countDown();
    if (document.hidden || $("dialog[open]")) return;
    const now = Date.now();
    $$("[data-live]").forEach((live) => {
      if (!asked.has(live.id)) asked.set(live.id, now);
      if (now - asked.get(live.id) < Number(live.dataset.live) * 1000) return;
      asked.set(live.id, now + 60000); // one question at a time
      refresh(live).finally(() => asked.set(live.id, Date.now()));
    });
  }

  // ---- payload: a foldable view over the exact text ----------------------------------------------
  // The text is never parsed to values: JSON.parse would round a 19-digit integer. Its pretty-printed
  // lines are enough to fold by indentation, and a branch is built only when it is opened.
  const LINE = /^(\s*)(?:("(?:[^"\\]|\\.)*")(\s*:\s*))?(.*)$/;

  function branches(lines) {
    const root = { children: [], depth: -1 };
    const stack = [root];
    for (const line of lines) {
      const [, indent, key, , rest] = LINE.exec(line);
      const value = rest.trimEnd();
      const parent = stack[stack.length - 1];
      if (/^[}\]],?$/.test(value) && stack.length > 1) { stack.pop().close = value; continue; }
      const node = { key, value, indent: indent.length, parent, index: parent.children.length };
      parent.children.push(node);
      if (/[[{]$/.test(value)) { node.children = []; stack.push(node); }
    }
    return root;
  }

  function pathOf(node) {
    const parts = [];
    for (let at = node; at.parent && at.parent.parent; at = at.parent) {
      if (at.key) {
        const name = JSON.parse(at.key);
        parts.unshift(/^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `[${at.key}]`);
      } else {
        parts.unshift(`[${at.index}]`);
      }
    }
    return `$${parts.join("")}`;
  }

  function span(name, words) {
    const place = document.createElement("span");
    place.className = name;
    place.textContent = words;
    return place;
  }

  function draw(node, depth, isSmall) {
    const line = document.createElement(node.children ? "summary" : "div");
    if (node.key) {
      const key = span("key", node.key);
      line.append(key, ": ");
    }
    line.append(node.children ? span("punct", node.value) : span(node.value.startsWith('"') ? "str" : "lit", node.value));
    line.addEventListener("click", () => showPath(node));
    line.addEventListener("focus", () => showPath(node));
    if (!node.children) { line.className = "leaf"; return line; }
    line.append(span("folded", ` … ${node.children.length} ${node.close || ""}`));
    const branch = document.createElement("details");
    const inside = document.createElement("div");
    branch.append(line, inside, span("punct", node.close || ""));
    const fill = () => { if (branch.open && !inside.hasChildNodes()) drawSome(inside, node.children, depth + 1, isSmall); };
    branch.addEventListener("toggle", fill);
    branch.open = isSmall || depth < 1 || (depth < 2 && node.children.length <= 30);
    fill();
    return branch;
  }

  const CHUNK = 500;

  /** A long list comes in pieces: ten thousand lines at once would hold the page. */
  function drawSome(inside, nodes, depth, isSmall) {
    inside.append(...nodes.slice(0, CHUNK).map((node) => draw(node, depth, isSmall)));
    if (nodes.length <= CHUNK) return;
    const more = document.createElement("button");
    more.type = "button";
    more.className = "btn quiet sm";
    more.textContent = `+ ${number.format(nodes.length - CHUNK)}`;
    more.addEventListener("click", () => { more.remove(); drawSome(inside, nodes.slice(CHUNK), depth, isSmall); });
    inside.append(more);
  }

  function showPath(node) {
    const place = $("[data-path]");
    if (place) place.textContent = pathOf(node);
  }

  function fold(button) {
    const pre = $(button.dataset.fold);
    const on = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(on));
    let tree = pre.nextElementSibling;
    if (on && !tree?.classList.contains("tree")) {
      tree = document.createElement("div");
      tree.className = "code tree";
      const lines = pre.textContent.split("\n");
      tree.append(...branches(lines).children.map((node) => draw(node, 0, lines.length <= 300)));
      pre.after(tree);
    }
    pre.hidden = on;
    // shown with the tree, not with the first path: a bar that appears on focus moves the line away from the click
    const bar = $("[data-path-bar]");
    if (bar) bar.hidden = !on;
    if (on && !$("[data-path]").textContent) $("[data-path]").textContent = "$";
    if (tree?.classList.contains("tree")) tree.hidden = !on;
  }

  // ---- trace: the frames of one's own code ---------------------------------------------------------
  const LIBRARY = /site-packages|dist-packages|[/\\]lib[/\\]python|<frozen |^\s*at (?:java|javax|jdk|sun|scala|akka)\.|^\s*at org\.(?:apache|springframework|hibernate|postgresql)\.|node_modules|node:internal/;

  function splitTrace(button) {
    const pre = $(button.dataset.appFrames);
    if (!pre || pre.dataset.split) return;
    pre.dataset.split = "1";
    const lines = pre.textContent.split("\n");
    let inLibrary = false;
    const marked = lines.map((line) => {
      const frame = /^\s+(?:File "|at )/.test(line);
      if (frame) inLibrary = LIBRARY.test(line);
      else if (!/^\s{4,}/.test(line)) inLibrary = false;
      return inLibrary;
    });
    if (!marked.includes(true)) return;
    // a hidden line takes its line break with it
    pre.replaceChildren(...lines.map((line, i) => span(marked[i] ? "lib" : "", i < lines.length - 1 ? `${line}\n` : line)));
    button.hidden = false;
  }

  // ---- wiring ------------------------------------------------------------------------------------
  function enhance(root) {
    $$("[data-selection]", root).forEach((form) => {
      boxesOf(form).forEach((box) => { box.checked = chosen.has(box.value) || box.checked; });
      const bar = $(".bulkbar", form);
      if (bar) form.dataset.stuck = String(bar.offsetHeight);
      showSelection(form);
    });
    $$("[data-app-frames]", root).forEach(splitTrace);
    showTheme();
  }

  document.addEventListener("change", onTick);
  document.addEventListener("click", (event) => {
    const at = (selector) => event.target.closest(selector);
    onRangeClick(event);
    if (at('[aria-disabled="true"]')) { event.preventDefault(); event.stopImmediatePropagation(); announce(at('[aria-disabled="true"]').title); return; }
    if (at("[data-theme-toggle]")) nextTheme();
    if (at("[data-clear-selection]")) clearSelection(at("[data-clear-selection]").closest("form"));
    if (at("[data-open-dialog]")) { $$("details.menu[open]").forEach((menu) => { menu.open = false; }); openDialog(document.getElementById(at("[data-open-dialog]").dataset.openDialog)); }
    if (at("[data-close-dialog]") && at("dialog")) { event.preventDefault(); at("dialog").close(); }
    if (at("[data-copy]")) copy($(at("[data-copy]").dataset.copy)?.textContent || "");
    if (at("[data-fold]")) fold(at("[data-fold]"));
    if (at("[data-toggle-open]")) {
      const button = at("[data-toggle-open]");
      button.setAttribute("aria-expanded", String($(button.dataset.toggleOpen).classList.toggle("open")));
    }
    if (at("[data-app-frames]")) {
      const button = at("[data-app-frames]");
      button.setAttribute("aria-pressed", String($(button.dataset.appFrames).classList.toggle("app-only")));
    }
    // what a menu opened stands in a dialog; the menu has done its work
    if (at(".panel [data-bulk]")) at("details.menu").open = false;
    if (event.target.matches("dialog")) event.target.close(); // a click on the backdrop
    $$("details.menu[open]").forEach((menu) => { if (!menu.contains(event.target)) menu.open = false; });
  }, true);
  document.addEventListener("submit", (event) => {
    const form = event.target;
    const question = event.submitter?.dataset.confirm;
    if (question && !confirm(question)) { event.preventDefault(); return; }
    if (form.matches("[data-drop-empty]") && !form.hasAttribute("hx-get")) {
      $$("input, select", form).forEach((field) => { if (!field.value) field.disabled = true; });
    }
    if (form.matches("[data-once]")) {
      // the second click of a double click; the server would recognise it too, by its request key
      if (form.dataset.sent) { event.preventDefault(); return; }
      form.dataset.sent = "1";
      setTimeout(() => { delete form.dataset.sent; }, 5000);
    }
  });
  // an address without its empty fields is one that people can read and share
  document.addEventListener("htmx:configRequest", (event) => {
    const sent = event.detail.formData;
    if (sent.get("scope") === "all") sent.delete("ids"); // "all" is the filter's business; keys only confuse
    if (!event.detail.elt.matches("[data-drop-empty]")) return;
    const fields = event.detail.formData;
    [...fields.entries()].forEach(([name, value]) => { if (value === "") fields.delete(name); });
  });
  document.addEventListener("keydown", onKey);
  document.addEventListener("visibilitychange", beat);
  // Back may bring the page out of the browser's memory with yesterday's disabled fields
  addEventListener("pageshow", (event) => { if (event.persisted) $$("[data-drop-empty] :disabled").forEach((field) => { field.disabled = false; }); });
  setInterval(beat, 1000);
  enhance(document);
  $("main form.confirm textarea")?.focus();
  // on a small screen the sections scroll sideways; the one we are in must be seen
  const section = $(".nav [aria-current]");
  if (section) $(".nav ul").scrollLeft = section.offsetLeft - 60;
})();
