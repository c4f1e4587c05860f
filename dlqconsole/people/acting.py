"""The actor of a change to accounts: the triggers that write the audit log read it."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction

_SAY = "SELECT current_setting('dlq.actor', true), set_config('dlq.actor', %s, true)"


@contextmanager
def acting_as(actor: str) -> Iterator[None]:
    """Open a transaction in which every change of an account, role or permission is this actor's.

    Without it the audit log names the database's role: ``sql:dlq_app``.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(_SAY, [actor])
        (before, _now) = cursor.fetchone()
        yield
        cursor.execute(_SAY, [before or ""])
