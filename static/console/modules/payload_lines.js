// The structure of pretty-printed JSON, read from its indentation. The text is never parsed to values:
// JSON.parse would round a 19-digit integer.

const LINE = /^(\s*)(?:("(?:[^"\\]|\\.)*")(\s*:\s*))?(.*)$/;

/** Lines as a tree of {key, value, children, close}; a leaf has no children. */
export function branches(lines) {
  const root = { children: [], depth: -1 };
  const stack = [root];
  lines.forEach((line, at) => {
    const [, indent, key, , rest] = LINE.exec(line);
    const value = rest.trimEnd();
    const parent = stack.at(-1);
    if (/^[}\]],?$/.test(value) && stack.length > 1) {
      stack.pop().close = value;
      return;
    }
    const node = { line: at + 1, key, value, indent: indent.length, parent, index: parent.children.length };
    parent.children.push(node);
    if (/[[{]$/.test(value)) {
      node.children = [];
      stack.push(node);
    }
  });
  return root;
}

const isStep = (node, name) => (node.key ? JSON.parse(node.key) === name : String(node.index) === name);

const next = (node, name) => node.children?.find((child) => isStep(child, name)) || node;

/** The node at a JSON pointer, which names each step; or the last on the way to it. */
export function nodeAt(root, pointer) {
  const names = pointer.split("/").slice(1).map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
  return names.reduce(next, root.children[0] || root);
}

function step(node) {
  if (!node.key) return `[${node.index}]`;
  const name = JSON.parse(node.key);
  return /^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `[${node.key}]`;
}

/** Where a line stands: `$.items[3].price`. */
export function pathOf(node) {
  const steps = [];
  for (let at = node; at.parent?.parent; at = at.parent) steps.unshift(step(at));
  return `$${steps.join("")}`;
}
