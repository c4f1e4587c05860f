"""Lines of a log, with personal data and secrets masked: a log goes to more people than the console does."""

import logging
from collections.abc import Iterable
from typing import Any

from dlqconsole.processing.masking import Masker
from dlqconsole.processing.texts import visible, visible_line


class OneLine(logging.Formatter):
    """A record is one line. A traceback follows on lines of its own, each set in, as no record is."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - the library's name
        """The line, with line ends and hidden characters shown."""
        return visible_line(super().formatMessage(record))

    def formatException(self, ei: Any) -> str:  # noqa: N802
        """The traceback, set in."""
        return _set_in(super().formatException(ei))

    def formatStack(self, stack_info: str) -> str:  # noqa: N802
        """The stack, set in."""
        return _set_in(super().formatStack(stack_info))


class MaskedLines(OneLine):
    """Formats as ``fmt`` says and masks the whole: message, arguments, traceback."""

    def __init__(self, fmt: str | None = None, more_keys: Iterable[str] | None = ()) -> None:
        super().__init__(fmt)
        self._masker = None if more_keys is None else Masker(more_keys)

    def format(self, record: logging.LogRecord) -> str:
        line = super().format(record)
        return line if self._masker is None else self._masker.text(line)


def _set_in(text: str) -> str:
    return "\n".join(f"  {visible_line(line)}" for line in visible(text).split("\n"))
