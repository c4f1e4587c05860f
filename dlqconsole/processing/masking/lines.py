"""Lines of a log, with personal data and secrets masked: a log goes to more people than the console does."""

import logging
from collections.abc import Iterable

from dlqconsole.processing.log_lines import OneLine
from dlqconsole.processing.masking import Masker


class MaskedLines(OneLine):
    """Formats as ``fmt`` says and masks the whole: message, arguments, traceback."""

    def __init__(self, fmt: str | None = None, more_keys: Iterable[str] | None = ()) -> None:
        super().__init__(fmt)
        self._masker = None if more_keys is None else Masker(more_keys)

    def format(self, record: logging.LogRecord) -> str:
        line = super().format(record)
        return line if self._masker is None else self._masker.text(line)
