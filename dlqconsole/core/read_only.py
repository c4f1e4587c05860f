"""A process whose connections to PostgreSQL only read, and that knows what the server refused to write.

Handlers are rehearsed in such. One that catches the refusal, and goes on as if it had written, hides nothing.
"""

import os
from typing import Any

from psycopg import BaseConnection, errors

SQLSTATE = "25006"
SETTING = "default_transaction_read_only"

_refused = 0
_only_reads = False


class ReadOnlySqlTransaction(errors.ReadOnlySqlTransaction, code=SQLSTATE):
    """psycopg's error for a refused write, which also counts it."""

    def __init__(self, *args: Any, **more: Any) -> None:
        global _refused
        super().__init__(*args, **more)
        _refused += 1


def refused_writes() -> int:
    """Return the number of this process's statements that the server refused because they write."""
    return _refused


def options() -> str:
    """PGOPTIONS for a process whose connections only read, whichever library opens them by libpq."""
    return f"{os.environ.get('PGOPTIONS', '')} -c {SETTING}=on".strip()


def only_read() -> None:
    """From here on each connection that this process opens by psycopg only reads.

    PGOPTIONS does not reach the one that is opened with options of its own.
    """
    global _only_reads
    if not _only_reads:
        _only_reads = True
        BaseConnection.__init__ = _only_reading(BaseConnection.__init__)  # type: ignore[method-assign]


def _only_reading(begin: Any) -> Any:
    def begin_reading(self: BaseConnection[Any], pgconn: Any) -> None:
        begin(self, pgconn)
        if pgconn.exec_(f"SHOW {SETTING}".encode()).get_value(0, 0) != b"on":
            pgconn.exec_(b"SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY")

    return begin_reading
