"""The tables of one system of jobs: what every such system says of itself, and how they are opened."""

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, ClassVar

import psycopg
from django.db import DataError, ProgrammingError
from psycopg.sql import Identifier

from dlqconsole.core.errors import UnknownQueue
from dlqconsole.core.host import host
from dlqconsole.core.named_sql import fetch_column, fetch_dicts
from dlqconsole.core.transient_errors import sentence, sqlstate
from dlqconsole.processing.outcomes import Failed
from dlqconsole.transports import services
from dlqconsole.transports.errors import TransportUnavailable
from dlqconsole.transports.sql import sql
from dlqconsole.transports.target import DeadLetterQueue, QueueMetrics, Transport

_MISSING = {"42P01", "3F000", "42883", "42703", "22P02"}  # no such table, schema, function, column, state
_FORBIDDEN = "42501"
_TAKEN = "23505"
_SERVICE = "service:"


@dataclass(frozen=True, slots=True)
class Place:
    """A queue's name there. ``service``: another database; ``schema``: empty where the search path leads."""

    queue: str
    service: str = ""
    schema: str = ""


def place_of(remote_name: str) -> Place:
    """Read ``email``, ``email@schema`` or ``email@service:billing.schema``. Raises UnknownQueue."""
    queue, at, where = remote_name.rpartition("@")
    if not at:
        queue, where = remote_name, ""
    if not queue or (at and not where) or "\x00" in remote_name:
        raise UnknownQueue("Write <queue>, <queue>@<schema> or <queue>@service:<service>.<schema>.")
    if not where.startswith(_SERVICE):
        return Place(queue, schema=where)
    service, _dot, schema = where.removeprefix(_SERVICE).partition(".")
    if not service:
        raise UnknownQueue(f"Write {queue}@service:<service>: the service names the other database.")
    return Place(queue, service, schema)


class NotRetried(Exception):
    """Their own rule forbids to run a job again just now; the words say which."""


@dataclass(frozen=True, slots=True)
class Jobs:
    """Their tables, open for one transaction. ``names``: theirs, quoted, by the words of the queries."""

    system: "JobTable"
    place: Place
    names: Mapping[str, str]

    def within(self, query: str) -> str:
        """Return the system's named query, on these tables."""
        text = sql(f"{self.system.prefix}.{query}")
        for word, name in self.names.items():
            text = text.replace(f"{{{word}}}", name)
        return text

    def mark(self) -> dict[str, Any]:
        """Return the newest number of the log, and which transactions may still write older ones."""
        return fetch_dicts(sql("jobs.mark").replace("{log}", self.names["log"]), {})[0]

    def failed(self, **values: Any) -> list[dict[str, Any]]:
        """Return a page of failed jobs in the order of the log; the first row tells of the whole page."""
        text = sql("jobs.failed").replace("{failed}", self.within("failed"))
        text = text.replace("{succeeded}", self.within("succeeded")).replace("{log}", self.names["log"])
        return fetch_dicts(text, {"queue": self.place.queue} | values)

    def states(self, ids: Sequence[int]) -> dict[int, str]:
        """Return the state of each job that is there, in its system's word."""
        rows = fetch_dicts(self.within("states"), {"ids": list(ids)})
        return {row["id"]: row["state"] for row in rows}

    def lock(self, ids: Sequence[int]) -> dict[int, dict[str, Any]]:
        """Lock the jobs that have failed and return them, each with what it brings."""
        rows = fetch_dicts(self.within("lock"), {"ids": list(ids), "queue": self.place.queue})
        return {row["id"]: row for row in rows}

    @contextmanager
    def on_their_path(self) -> Iterator[None]:
        """Look for tables in their schema first, in the block: their functions name them without one."""
        [path] = fetch_column(sql("jobs.search_path"), {})
        fetch_column(sql("jobs.look_in"), {"path": f"{self.names['place'].replace('%%', '%')}, {path}"})
        yield
        fetch_column(sql("jobs.look_in"), {"path": path})

    def retry(self, job: int) -> None:
        """Let a locked job run again, by its system's own rules. Raises NotRetried."""
        try:
            with host().atomic():
                fetch_column(self.within("retry"), {"id": job})
        except host().error as error:
            if sqlstate(error) == _TAKEN:
                raise NotRetried(self.system.taken) from None
            raise


class JobTable(Transport):
    """One system of jobs in PostgreSQL. Its queries are in ``<prefix>.sql``; every retry is told once."""

    # what is retried is a job with a number of its own
    deduplicates = True
    label: ClassVar[str]
    # the tables by the words of the queries: ``jobs`` and ``log``
    tables: ClassVar[Mapping[str, str]]
    # the function without which nothing can be retried: its name with its arguments' types, and since when
    function: ClassVar[tuple[str, str]] = ("", "")
    # states in which a job is done, or will not run any more; all others end in one of these
    done: ClassVar[frozenset[str]]
    over: ClassVar[frozenset[str]]
    # whether a revived job that is there no more has succeeded; else nobody knows
    leaves_when_done: ClassVar[bool]
    # why a job may not wait beside another
    taken: ClassVar[str]

    @abstractmethod
    def failure(self, row: Mapping[str, Any]) -> Failed:
        """Return what is known of a job's failure."""

    @abstractmethod
    def content(self, row: Mapping[str, Any]) -> tuple[str | None, bytes | None]:
        """Return what a job brings: JSON text, or the exact bytes of anything else."""

    def metrics(self, queue: str) -> QueueMetrics:
        """Count the jobs that wait or run. A queue without a job is there as well: nobody declares one."""
        with self.open(queue) as jobs:
            [row] = fetch_dicts(jobs.within("metrics"), {"queue": jobs.place.queue})
        return QueueMetrics(name=queue, **row)

    def counts_deliveries(self, queue: str) -> bool:
        """Tell that its own workers decide when a job has failed for good."""
        return False

    def dead_letter_queues(self, attached: Sequence[str]) -> list[DeadLetterQueue]:
        """Return the queues with failed jobs, in the tables of the attached ones: they stay there."""
        queues = []
        by_ending = {each.removeprefix(place_of(each).queue): each for each in attached}
        for ending, queue in by_ending.items():
            with self.open(queue) as jobs:
                fetch_dicts(sql("unwatched.begin_look"), {})
                rows = fetch_dicts(jobs.within("failed_by_queue"), {})
            names = ((f"{row['queue']}{ending}", row["messages"]) for row in rows)
            queues += [DeadLetterQueue(name, (name,), count) for name, count in names]
        return queues

    def close(self) -> None:
        """Close this thread's connections to other databases."""
        services.close()

    @contextmanager
    def open(self, queue: str) -> Iterator[Jobs]:
        """Open one transaction where the queue's tables are. Statements of the block run there.

        Raises UnknownQueue, and TransportUnavailable where they are not, or are kept from us.
        """
        place = place_of(queue)
        elsewhere = services.use_service(place.service, self.label) if place.service else nullcontext()
        with elsewhere:
            try:
                with host().atomic():
                    yield Jobs(self, place, self._names(place))
            except (ProgrammingError, DataError, psycopg.ProgrammingError, psycopg.DataError) as error:
                if words := self._words(error):
                    raise TransportUnavailable(words) from error
                raise

    def _names(self, place: Place) -> dict[str, str]:
        values = {"schema": place.schema, "function": self.function[0], "log": self.tables["log"]}
        [there] = fetch_dicts(sql("jobs.there"), values | {"jobs": self.tables["jobs"]})
        if there["schema"] is None:
            where = f"in the schema {place.schema}" if place.schema else "on the search path"
            others = ", ".join(f"{place.queue}@{each}" for each in there["others"])
            hint = f" Attach {self.prefix}:{others}." if others else ""
            raise TransportUnavailable(f"{self.label} has no tables {where} of this database.{hint}")
        schema = there["schema"]
        names = {word: _quoted(schema, table) for word, table in self.tables.items()}
        if self.function[0] and not there["has_function"]:
            raise TransportUnavailable(
                f"{self.label} in the schema {schema} cannot retry failed jobs: {self.function[1]} can."
            )
        return names | {"place": _quoted(schema)}

    def _words(self, error: Exception) -> str:
        if sqlstate(error) == _FORBIDDEN:
            return (
                f"The console may not use {self.label}'s tables: {sentence(error)}. Give its role the grants"
                " of docs/job-tables.md."
            )
        if sqlstate(error) in _MISSING:
            return f"{self.label}'s tables cannot be used: {sentence(error)}."
        return ""


def _quoted(*names: str) -> str:
    # a percent sign in a name must not be taken for a placeholder
    return Identifier(*names).as_string().replace("%", "%%")
