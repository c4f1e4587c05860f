"""Prepared statements, for the few that run thousands of times a second.

An ordinary statement is new text each time, to be parsed and planned again; planning a claim costs more than
running it. These are prepared once a connection, and several can go to the server in one transaction and one
round trip.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any
from weakref import WeakSet

import psycopg

from dlqconsole.core import sessions
from dlqconsole.core.host import Connection, Host, host

type Rows = Callable[[], list[tuple[Any, ...]]]

# connections that were told to keep the plans of their prepared statements
_KEEP_PLANS: "WeakSet[Connection]" = WeakSet()

# A plan that was made while the queue was empty is kept when a million messages have come: it must not be one
# that reads the whole table, cheap as that was then.
_BY_INDEX = "SELECT set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true)"


def run(query: str, values: Mapping[str, Any]) -> Rows:
    """Run a prepared statement. Return a function that gives its rows once ``pipeline`` has ended.

    Raises the errors that the host's cursors raise.
    """
    lender = host()
    errors = lender.errors()
    with errors:
        cursor = sessions.LimitedCursor(_raw_connection(lender))
        cursor.execute(query, values, prepare=True, binary=True)

    def rows() -> list[tuple[Any, ...]]:
        with errors:
            return cursor.fetchall()

    return rows


@contextmanager
def pipeline(*, by_index: bool = False) -> Iterator[None]:
    """Send the statements inside at once, as one transaction: one round trip and one flush.

    ``by_index``: among them are some that must not read a whole table, and are no functions of ours.

    An error in any of the statements is raised at the end, and nothing of them remains. Asking for rows
    inside ends the transaction early.
    """
    lender = host()
    # statements between two Syncs of the protocol are one transaction, without BEGIN and COMMIT
    raw = _raw_connection(lender)
    with lender.errors(), raw.pipeline():
        if not lender.in_transaction():  # there it would outlive us
            if limits := sessions.limits_of(raw):
                psycopg.Cursor(raw).execute(limits)
            if by_index:
                run(_BY_INDEX, {})
        yield


def together(statements: int, *, by_index: bool = False) -> AbstractContextManager[None]:
    """Make so many statements one transaction: a pipeline, but for a single one, which is less work alone."""
    return nullcontext() if statements <= 1 else pipeline(by_index=by_index)


def _raw_connection(lender: Host) -> Connection:
    raw = lender.connection()
    if raw not in _KEEP_PLANS:
        _prepare_from_now_on(raw, lasting=not lender.in_transaction())
    return raw


def _prepare_from_now_on(raw: Connection, *, lasting: bool) -> None:
    if sessions.is_pooled(raw):  # the next transaction may be in a session that knows none of it
        return
    # Django turns preparing off for the whole connection. Its own cursors never prepare, ours ask for it.
    raw.prepare_threshold = 5
    if lasting:  # else a rollback would undo it
        # The shapes do not depend on the values (limits are written into the text), so one plan serves all.
        raw.execute("SET plan_cache_mode = force_generic_plan")
        _KEEP_PLANS.add(raw)
