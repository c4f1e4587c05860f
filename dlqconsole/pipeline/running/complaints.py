"""The complaints of Spark's own Python code once Java has ended: pages of traces, into the log.

Whatever was under way then fails in several threads, each of which complains by itself. The person is told
the reason, in one line.
"""

import logging
import sys
import traceback
from contextlib import suppress
from pathlib import Path
from typing import Any

# the bridge to Java: it logs by loggers of its own, and by the root logger
_BRIDGE = "py4j"


class Complaints(logging.Handler):
    """Their place. It stays when Spark has ended: a thread may come late."""

    def __init__(self, log: Path) -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def of_bridge(self) -> None:
        """Take what py4j logs, in the place of whom an earlier Spark of this process had."""
        bridge, root = logging.getLogger(_BRIDGE), logging.getLogger()
        bridge.setLevel(logging.WARNING)  # it tells of every connection it closes
        bridge.propagate = False
        bridge.handlers = [self]
        root.filters = [*(one for one in root.filters if not isinstance(one, _OthersOnly)), _OthersOnly(self)]

    def of_counters(self, server: Any) -> None:
        """Take what the server for Java's counts (accumulators) says of a connection that broke."""
        server.handle_error = lambda _request, _address: self._write(
            f"Java's counts: {_reason(sys.exc_info()[1])}"
        )

    def emit(self, record: logging.LogRecord) -> None:
        """One line: its trace would ask Java for words, and Java is gone."""
        reason = f": {_reason(record.exc_info[1])}" if record.exc_info else ""
        self._write(f"{record.module}: {record.getMessage()}{reason}")

    def _write(self, line: str) -> None:
        with suppress(OSError), self._log.open("a", encoding="utf-8") as log:
            log.write(f"{line}\n")


class _OthersOnly(logging.Filter):
    """A filter for the root logger that passes all but the bridge's lines."""

    def __init__(self, complaints: Complaints) -> None:
        super().__init__()
        self._complaints = complaints

    def filter(self, record: logging.LogRecord) -> bool:
        if Path(record.pathname).parent.name != _BRIDGE:
            return True
        self._complaints.handle(record)
        return False


def _reason(error: BaseException | None) -> str:
    return "".join(traceback.format_exception_only(error)).strip() if error else "it did not say why"
