"""Characters that nobody sees, but that change what people read, made visible."""

import re

# controls except tab and line ends, zero-width and bidirectional marks, line separators, tags, odd spaces,
# halves of characters
HIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff\U000e0000-\U000e0fff]"
)
_LINE_ENDS = re.compile("\r\n|[\r\n]")


def visible(text: str) -> str:
    """``a\\u202eb`` becomes ``a⟦U+202E⟧b``."""
    return HIDDEN.sub(lambda match: f"⟦U+{ord(match[0]):04X}⟧", text)


def one_line(text: str) -> str:
    """The same, and line ends as ``⟦U+000A⟧``: what a name holds begins no line of its own."""
    return _LINE_ENDS.sub(lambda match: "".join(f"⟦U+{ord(each):04X}⟧" for each in match[0]), visible(text))
