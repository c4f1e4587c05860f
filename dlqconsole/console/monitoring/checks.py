"""The checks of ``/healthz`` and ``/readyz``.

A check returns sentences, none if all is well. Anybody may read them, so they hold no data. ``NotReady``,
raised with a sentence, makes ``/readyz`` answer 503.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import cache

from django.conf import settings
from django.db.migrations.loader import MigrationLoader
from redis import Redis, RedisError

from dlqconsole.configuration.program import PROGRAM
from dlqconsole.core import handling
from dlqconsole.core.dead_letters.claims import oldest_attempt_seconds
from dlqconsole.engine import known_handlers
from dlqconsole.engine.known_handlers import WORK
from dlqconsole.hosting.database import connection
from dlqconsole.operations.requests import workers
from dlqconsole.retries import beat_heartbeats
from dlqconsole.tables.migrating import lacking

type Check = Callable[[], Iterable[str]]

BROKER_SECONDS = 1.0
# A worker ticks every 15 seconds, and then gives up the claims of dead ones too.
SILENT_SECONDS = 90.0
READ_ONLY = "the database takes no changes: it is a standby, or set to be read only"
_APPLIED = "SELECT app, name FROM django_migrations"


class NotReady(Exception):
    """The console cannot do its work; the sentence holds no data, because strangers read it."""


def broker() -> Iterator[str]:
    """Check that Redis answers, where there is one. While it is away, new work waits."""
    if not settings.REDIS_URL:
        return
    try:
        _redis().ping()
    except (RedisError, OSError):
        yield "the broker (Redis) does not answer: what runs goes on, what is new begins when it is back"


def last_tick() -> Iterator[str]:
    """Report the last tick of the schedule that a worker took."""
    tick = beat_heartbeats.last_tick()
    if tick is None:
        yield "last tick of the schedule: never"
        return
    late = ": no worker takes them" if tick[1] > SILENT_SECONDS else ""
    yield f"last tick of the schedule: {tick[1]:,.0f} s ago{late}"


def migrations() -> Iterable[str]:
    """Check that the database has the tables of this version."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT to_regclass('django_migrations')")
        is_new = cursor.fetchone()[0] is None
        applied = set()
        if not is_new:
            cursor.execute(_APPLIED)
            applied = set(cursor.fetchall())
    if missing := len(_own_migrations() - applied):
        raise NotReady(
            f"the schema {settings.DLQ_SCHEMA} of the database lacks {missing} migrations of this version:"
            f" run {PROGRAM} migrate"
        )
    if parts := lacking():
        raise NotReady(
            f"the tables of {', '.join(parts)} in the schema {settings.DLQ_SCHEMA} are of another version:"
            f" run {PROGRAM} migrate"
        )
    return ()


def oldest_retry() -> Iterator[str]:
    """Report the age of the oldest running retry."""
    seconds = oldest_attempt_seconds()
    if seconds is None:
        yield "oldest running retry: none"
        return
    late = ": longer than it may" if seconds > handling.longest_seconds() + SILENT_SECONDS else ""
    yield f"oldest running retry: {seconds:,.0f} s{late}"


def operations() -> Iterator[str]:
    """Report how many workers run operations."""
    number = len(known_handlers.serving(WORK))
    yield f"workers for operations: {number or f'none, {workers.NOBODY}: nothing is done'}"


def writing() -> Iterable[str]:
    """Check that the database takes changes: a standby does not, nor one that is set to be read only."""
    with connection.cursor() as cursor:
        cursor.execute("SHOW transaction_read_only")
        if cursor.fetchone()[0] == "on":
            raise NotReady(READ_ONLY)
    return ()


CHECKS: tuple[Check, ...] = (broker, last_tick, migrations, oldest_retry, operations, writing)


@cache
def _redis() -> Redis:
    return Redis.from_url(
        settings.REDIS_URL, socket_timeout=BROKER_SECONDS, socket_connect_timeout=BROKER_SECONDS
    )


@cache
def _own_migrations() -> frozenset[tuple[str, str]]:
    """The migrations in this version's files; read once, because they do not change while it runs."""
    loader = MigrationLoader(None, load=False)
    loader.load_disk()
    return frozenset(loader.disk_migrations)
