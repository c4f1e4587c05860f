"""Lines of a log that nobody else can write: no name begins a line, or does anything to a terminal."""

import logging
from typing import Any

from .hidden_characters import one_line, visible


class OneLine(logging.Formatter):
    """A record is one line. A traceback follows on lines of its own, each set in, as no record is."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - the library's name
        """The line, with line ends and hidden characters shown."""
        return one_line(super().formatMessage(record))

    def formatException(self, ei: Any) -> str:  # noqa: N802
        """The traceback, set in."""
        return _set_in(super().formatException(ei))

    def formatStack(self, stack_info: str) -> str:  # noqa: N802
        """The stack, set in."""
        return _set_in(super().formatStack(stack_info))


def _set_in(text: str) -> str:
    return "\n".join(f"  {one_line(line)}" for line in visible(text).split("\n"))
