"""JSON set out for reading, as text from beginning to end.

No number becomes a float and no nesting is too deep, because nothing is ever parsed: only the
spaces between parts change. Works on the beginning of a text as well.
"""

import re

INDENT = "  "
DEEPEST = 40  # levels that are indented further
_PART = re.compile(r'"(?:[^"\\]|\\.)*(?:"|\Z)|[\[\]{}:,]|[^\s\[\]{}:,"]+', re.DOTALL)


def pretty(text: str) -> str:
    """One member or element a line; empty objects and arrays stay on theirs."""
    out: list[str] = []
    depth, opens = 0, False
    for match in _PART.finditer(text):
        part = match[0]
        closes = part in "}]"
        depth -= closes
        if opens != closes and (opens or closes):
            out.append(_line(depth))
        opens = part in "{["
        depth += opens
        out.append(_with_space(part, depth))
    return "".join(out)


def _with_space(part: str, depth: int) -> str:
    if part == ":":
        return ": "
    return "," + _line(depth) if part == "," else part


def _line(depth: int) -> str:
    return "\n" + INDENT * max(0, min(depth, DEEPEST))
