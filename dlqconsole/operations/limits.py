"""The limits of one page's transaction: a person who cancels waits for its end."""

from django.db import connection


def page_limits(nested_loops: bool = True) -> None:
    """Set this transaction's limits. Call it first.

    Without nested loops the planner prices those it cannot avoid so high that it would compile the statement,
    which takes longer than running it: hence no JIT. Such a page must not read a whole table, or sort all of
    an operation's items, even if old statistics suggest it: it finds all its rows by key, in order.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT set_config('lock_timeout', '1s', true), set_config('statement_timeout', '15s', true),"
            " set_config('enable_nestloop', %s, true), set_config('enable_seqscan', %s, true),"
            " set_config('enable_bitmapscan', %s, true), set_config('jit', 'off', true)",
            ["on" if nested_loops else "off"] * 3,
        )
