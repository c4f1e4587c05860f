// The structure of pretty-printed JSON, read from its indentation. The text is never parsed to values:
// JSON.parse would round a 19-digit integer.

const LINE = /^(\s*)(?:("(?:[^"\\]|\\.)*")(\s*:\s*))?(.*)$/;

/** Lines as a tree of {key, value, children, close}; a leaf has no children. */
export function branches(lines) {
  const root = { children: [], depth: -1 };
  const stack = [root];
  for (const line of lines) {
    const [, indent, key, , rest] = LINE.exec(line);
    const value = rest.trimEnd();
    const parent = stack.at(-1);
    if (/^[}\]],?$/.test(value) && stack.length > 1) {
      stack.pop().close = value;
      continue;
    }
    const node = { key, value, indent: indent.length, parent, index: parent.children.length };
    parent.children.push(node);
    if (/[[{]$/.test(value)) {
      node.children = [];
      stack.push(node);
    }
  }
  return root;
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
