"""A PGMQ queue's tables, for the length of one transaction. Their errors become sentences."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import psycopg
from django.db import ProgrammingError
from psycopg.sql import Identifier

from dlqconsole.core.errors import UnknownQueue
from dlqconsole.core.host import host
from dlqconsole.core.named_sql import fetch_column, fetch_dicts
from dlqconsole.core.transient_errors import sentence, sqlstate
from dlqconsole.transports.errors import TransportUnavailable
from dlqconsole.transports.sql import sql

LONGEST_NAME = 47  # PGMQ's own limit
_MISSING = {"42P01", "3F000", "42883"}  # no such table, schema, function
_FORBIDDEN = "42501"


class Tables(NamedTuple):
    """A queue's name in PGMQ, and its two tables, quoted for a query with placeholders."""

    name: str
    queue: str
    archive: str

    def within(self, query: str) -> str:
        """Return the named query on these tables."""
        text = sql(query).replace("{listed}", sql("pgmq.listed")).replace("{row}", sql("pgmq.row"))
        return text.replace("{queue}", self.queue).replace("{archive}", self.archive)


@contextmanager
def open_queue(queue: str) -> Iterator[Tables]:
    """Open one transaction on a queue that exists. Yield its tables.

    Raises UnknownQueue, and TransportUnavailable where this database has no PGMQ or keeps it from us.
    """
    try:
        with host().atomic():
            yield _tables(queue)
    except (ProgrammingError, psycopg.ProgrammingError) as error:
        if sqlstate(error) == _FORBIDDEN:
            raise TransportUnavailable(
                f"The console may not use PGMQ's queue {queue}: {sentence(error)}. Grant its database role"
                " usage of the schema pgmq, and select, insert, update and delete on its tables."
            ) from error
        if sqlstate(error) in _MISSING:
            raise TransportUnavailable(f"PGMQ's queue {queue} cannot be used: {sentence(error)}.") from error
        raise


def read_again(times: int) -> dict[str, int]:
    """Return how many messages of each queue were read more often than that, where there are any.

    PGMQ puts nothing away by itself: what fails is read again and again. Only what the role may read is seen.
    """
    with host().atomic():
        fetch_column(sql("unwatched.begin_look"), {})
        if not fetch_column(sql("pgmq.installed"), {})[0]:
            return {}
        counts = {}
        for row in fetch_dicts(sql("pgmq.readable"), {}):
            tables = Tables(row["name"], _quote(row["queue"]), _quote(row["archive"]))
            counts[tables.name] = fetch_column(tables.within("pgmq.read_again"), {"times": times})[0]
    return {name: count for name, count in counts.items() if count}


def _tables(queue: str) -> Tables:
    if not queue or len(queue) > LONGEST_NAME or "\x00" in queue:
        raise UnknownQueue(f"A PGMQ queue's name has 1 to {LONGEST_NAME} characters, not {queue[:60]!r}.")
    if not fetch_column(sql("pgmq.installed"), {})[0]:
        raise TransportUnavailable(
            "PGMQ is not installed in this database: run CREATE EXTENSION pgmq there, or attach"
            " pgmq-service:<service>.<queue> of the database that has it."
        )
    rows = fetch_dicts(sql("pgmq.tables"), {"queue": queue})
    if not rows:
        raise UnknownQueue(
            f"PGMQ has no queue {queue!r} in this database; pgmq.list_queues() shows those it has."
        )
    return Tables(queue, **{kind: _quote(table) for kind, table in rows[0].items()})


def _quote(table: str) -> str:
    # a percent sign in a name must not be taken for a placeholder
    return Identifier("pgmq", table).as_string().replace("%", "%%")
