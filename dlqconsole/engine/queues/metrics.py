"""The figures of queues, at a price that does not grow with the backlog.

Only the first messages of a long queue are counted; ``capped`` says that there are at least so many.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from dlqconsole.core.lifecycle.states import OPEN
from dlqconsole.core.named_sql import fetch_dicts
from dlqconsole.engine import known_handlers
from dlqconsole.engine.access_scope import EVERYTHING, asking_as
from dlqconsole.engine.counts import rollups
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.models import Queue
from dlqconsole.engine.queues import warnings as queue_warnings
from dlqconsole.engine.queues.obstacles import behind_dead_letters, blocked_by_breaker, unhandled_messages
from dlqconsole.engine.queues.policy import DEFAULTS, FIELDS
from dlqconsole.engine.sql import sql
from dlqconsole.hosting.database import connection, transaction

type Row = dict[str, Any]
# the states of a queue's messages; their sum is its length
STATES = ("visible", "in_flight", "scheduled", "waiting", "held")
# the place of a queue's first live message: its turn and its id
type Place = tuple[int, int]
# a queue's number of scheduled messages, and the seconds until the first of them is due
type Later = tuple[int, float | None]

# The place behind every message: there is nothing to look at.
END: Place = (65_538, 0)

# Messages counted by an index: of every queue, of one long queue, and of all long queues together. A part of
# them is read, which costs ten times as much.
FIRST, MOST, ALTOGETHER = 1_000, 100_000, 400_000
READ_SHARE = 5
_OTHER_WAYS = ("enable_sort", "enable_seqscan", "enable_bitmapscan")
_MORE = ("more_live", "more_waiting", "more_held")
# in minutes
A_DAY = 24 * 60
_RATES = ("completed_per_minute", "retried_per_minute", "dead_lettered_per_minute")


def metrics_of(name: str) -> Row:
    """Return the figures of one queue, whether it exists or not.

    ``visible``, ``in_flight``, ``scheduled``, ``waiting`` (behind another message of their group), ``held``
    (back, until an undo window has passed) and ``length``, their sum; ``at_least`` names those of them that
    may be more, ``capped`` says that some may; ``first_seconds``: until the first of
    the scheduled is due.
    ``oldest_due_seconds``: how long the oldest claimable message has been due, None when there is none;
    ``oldest_in_flight_seconds``: how long the message that was taken first has been in a consumer's hands;
    ``newest_age_seconds``.
    ``completed_per_minute``, ``retried_per_minute``, ``dead_lettered_per_minute`` and ``failure_share``, over
    the last five full minutes. ``consumers_waiting``: consumers that have nothing to do. ``dead_letters``:
    those that still wait for somebody; ``breaker``, None unless ``left_alone``: why consumers leave the queue
    alone (a ``breakers.State``). ``unhandled``: what waits for a consumer that has its handler (see
    ``engine.queues.unhandled``); ``told_by_consumers``: one of its consumers was heard of, without which
    nobody knows that of an attached queue; ``consumers_in_sql``: their names. ``behind_dead_letters``: what
    waits for dead letters of its groups (see ``engine.queues.behind_dead_letters``), None where nothing does.
    ``paused``, ``exists`` (it has a row of its own), ``policy``, and ``warnings``, a sentence each.
    """
    return rows_of([name])[0]


def rows_of(names: Sequence[str]) -> list[Row]:
    """Return the figures of some queues, in their order."""
    dead = _open_dead_letters(names)
    return [with_warnings(row, dead.get(row["name"], 0)) for row in _live(names)]


def live_of(name: str) -> Row:
    """Return the figures without dead letters, and so without warnings: the cheapest look."""
    return _live([name])[0]


def minutes(name: str) -> list[Row]:
    """Return the last hour of a queue, oldest minute first: completed, retried and dead-lettered."""
    return fetch_dicts(sql("queue_metrics.minutes"), {"name": name})


def most_completed_per_minute(names: Collection[str], minutes: int = A_DAY) -> float:
    """Count the messages that these queues' consumers completed in the best of the last minutes."""
    values = {"names": list(names), "minutes": minutes}
    return float(fetch_dicts(sql("queue_metrics.best_minute"), values)[0]["completed"])


def _live(names: Sequence[str]) -> list[Row]:
    places: dict[str, Place] = {}
    for name in names:
        rows = fetch_dicts(sql("queue_metrics.place"), {"name": name})
        places[name] = (rows[0]["turn"], rows[0]["id"]) if rows else END
    return rows_at(places, scheduled_messages()) if places else []


def _open_dead_letters(names: Sequence[str]) -> dict[str, int]:
    if len(names) == 1:
        # who asks about a queue sees all of it, and workers ask, too
        with asking_as(EVERYTHING):
            counts = rollups.by_status(DeadLetterFilter(queue=names[0]))
        return {names[0]: sum(counts.get(status, 0) for status in OPEN)}
    return rollups.by_queue(OPEN) if names else {}


def rows_at(places: Mapping[str, Place], later: Mapping[str, Later]) -> list[Row]:
    """Return the rows of queues, without dead letters, by the place of each one's first live message."""
    standing = _standing(places, FIRST, FIRST)
    if long := [name for name, row in standing.items() if any(row[more] for more in _MORE)]:
        cap = max(min(MOST, ALTOGETHER // len(long)), FIRST)
        standing |= _standing({name: places[name] for name in long}, cap, max(cap // READ_SHARE, FIRST))
    names = list(places)
    activity = {row["name"]: row for row in fetch_dicts(sql("queue_metrics.activity"), {"names": names})}
    policies: dict[str, Row] = {row.name: vars(row) for row in Queue.objects.filter(name__in=names)}
    blocking = blocked_by_breaker(names)
    no_handler, heard_of = unhandled_messages(names)
    in_sql = known_handlers.sql_consumers()
    behind = behind_dead_letters(names)
    return [
        _with_sums(standing[name], later)
        | activity[name]
        | _policy(policies.get(name))
        | {"breaker": blocking.get(name), "left_alone": name in blocking}
        | {"unhandled": no_handler.get(name, []), "told_by_consumers": name in heard_of}
        | {"consumers_in_sql": in_sql.get(name, ())}
        | {"behind_dead_letters": behind.get(name)}
        for name in names
    ]


def _standing(places: Mapping[str, Place], cap: int, look: int) -> dict[str, Row]:
    values = {
        "names": list(places),
        "turns": [turn for turn, _id in places.values()],
        "ids": [first for _turn, first in places.values()],
        "cap": cap,
        "look": look,
    }
    with in_the_order_of_an_index():
        return {row["name"]: row for row in fetch_dicts(sql("queue_metrics.standing"), values)}


@contextmanager
def in_the_order_of_an_index() -> Iterator[None]:
    """Make the planner walk an index and stop: it cannot know where a place is."""
    with transaction.atomic(), connection.cursor() as cursor:
        for way in _OTHER_WAYS:
            cursor.execute(f"SET LOCAL {way} = off")
        yield
        # an outer transaction goes on with what it had
        for way in _OTHER_WAYS:
            cursor.execute(f"SET LOCAL {way} TO DEFAULT")


def scheduled_messages() -> dict[str, Later]:
    """Return each queue's scheduled messages, among the messages of all queues that are due next."""
    rows = fetch_dicts(sql("queue_metrics.scheduled"), {"look": MOST})
    return {row["name"]: (row["scheduled"], row["first_seconds"]) for row in rows}


def _with_sums(row: Row, later: Mapping[str, Later]) -> Row:
    row["scheduled"], row["first_seconds"] = later.get(row["name"], (0, None))
    more = {
        "visible": row.pop("more_live"),
        "waiting": row.pop("more_waiting"),
        "held": row.pop("more_held"),
        # the look is at all queues together: where it ended, any of them may have more
        "scheduled": sum(number for number, _seconds in later.values()) >= MOST,
    }
    row["length"] = sum(row[state] for state in STATES)
    row["at_least"] = [state for state, is_more in more.items() if is_more]
    row["capped"] = bool(row["at_least"])
    return row


def _policy(row: Row | None) -> Row:
    policy = DEFAULTS if row is None else {name: row[name] for name in FIELDS}
    return {"exists": row is not None, "paused": bool(row and row["paused"]), "policy": policy}


def with_warnings(row: Row, dead_letters: int) -> Row:
    """Return the row with the values that follow from its figures."""
    attempts = sum(row[rate] for rate in _RATES)
    failures = row["retried_per_minute"] + row["dead_lettered_per_minute"]
    row["failure_share"] = failures / attempts if attempts else None
    row["dead_letters"] = dead_letters
    row["warnings"] = queue_warnings.warnings(row)
    return row
