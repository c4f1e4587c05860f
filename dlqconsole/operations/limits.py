"""How long one page's transaction may take: a person who cancels waits for it."""

from django.db import connection


def page_limits() -> None:
    """Set this transaction's limits. Call it first."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT set_config('lock_timeout', '1s', true), set_config('statement_timeout', '15s', true)"
        )
