"""The last words of a dying process (faulthandler's), in the words of a Python traceback."""

import re

from dlqconsole.processing.texts import sanitise_text

TRACE_BYTES = 64 * 1024
_MACHINERY = ("/dlqconsole/processing/", "<frozen ")
_FRAME = re.compile(r'^  File "(?P<file>.*)", line (?P<line>\d+) in (?P<name>.*)$')


def as_python_trace(text: str) -> str:
    """The frames of the thread that died, the most recent one last, without our own; empty where none are."""
    frames: list[str] = []
    for line in text.partition("(most recent call first):\n")[2].splitlines():
        if not (match := _FRAME.match(line)):
            break
        if not any(part in match["file"] for part in _MACHINERY):
            frames.append(f'  File "{match["file"]}", line {match["line"]}, in {match["name"]}\n')
    return sanitise_text("Traceback (most recent call last):\n" + "".join(frames[::-1])) if frames else ""
