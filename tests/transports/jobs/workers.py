"""Real workers of procrastinate and pgqueuer, each with its tables in a schema of its own."""

import datetime
import json
import logging
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import asyncpg
import procrastinate
import psycopg
from django.db import connection
from pgqueuer.adapters.persistence.schema_ddl import render_install
from pgqueuer.db import AsyncpgDriver
from pgqueuer.domain.settings import DBSettings
from pgqueuer.domain.types import QueueExecutionMode
from pgqueuer.models import Job
from pgqueuer.qm import QueueManager
from pgqueuer.queries import Queries
from procrastinate.schema import SchemaManager
from psycopg.conninfo import make_conninfo

from tests import asynchronous

# their workers tell of each failure that a test wants
logging.getLogger("procrastinate").setLevel(logging.CRITICAL)
logging.getLogger("pgqueuer").setLevel(logging.CRITICAL)


class Declined(Exception):
    """The failure of a job."""


class Workers(ABC):
    """One system: its client, its workers and its own tools. ``queue`` is its name there."""

    prefix: str
    schema: str
    jobs: str
    log: str
    queue = "billing"
    failed, waiting, succeeded = "failed", "", ""
    # another database than the tests' own, by the service that names it
    database, service = "", ""

    @property
    def name(self) -> str:
        """The queue's name in the console."""
        place = f"service:{self.service}.{self.schema}" if self.service else self.schema
        return f"{self.prefix}:{self.queue}@{place}"

    def address(self) -> dict[str, Any]:
        """The database as their programs know it."""
        given = connection.get_connection_params()
        names = {name: given.get(name) for name in ("host", "port", "user", "password")}
        return names | {"dbname": self.database or given["dbname"]}

    def make(self) -> None:
        """Make the tables, once."""
        [(there,)] = self.run("SELECT to_regnamespace(current_setting('search_path')) IS NOT NULL")
        if not there:
            self.run(f"CREATE SCHEMA {self.schema}", self.sql())

    def run(self, *statements: str) -> list[tuple[Any, ...]]:
        """Run statements of theirs in a session of its own; the rows of the last one."""
        with self.session() as session:
            session.autocommit = True
            for statement in statements:
                last = session.execute(statement)
            return last.fetchall() if last.description else []

    def session(self) -> psycopg.Connection[tuple[Any, ...]]:
        """A session of theirs."""
        return psycopg.connect(**self.address(), options=f"-c search_path={self.schema}")

    def fill(self, number: int) -> None:
        """Make so many failed jobs at once, without a worker."""
        self.run(*self.fill_sql(number))

    @abstractmethod
    def sql(self) -> str:
        """Their own SQL that makes the tables."""

    @abstractmethod
    def fill_sql(self, number: int) -> list[str]:
        """Statements that make so many failed jobs."""

    def empty(self) -> None:
        self.run(f"TRUNCATE {self.jobs}, {self.log} CASCADE")

    def state(self, job: int) -> str:
        [(state,)] = self.run(f"SELECT status::text FROM {self.jobs} WHERE id = {job}")
        return state

    def delete(self, job: int) -> None:
        """Somebody deletes a job by hand."""
        self.run(f"DELETE FROM {self.jobs} WHERE id = {job}")

    @abstractmethod
    def add(self, payload: dict[str, Any], **more: Any) -> int:
        """A client of theirs makes a job; its id."""

    @abstractmethod
    def work(self, error: Exception | None = None) -> list[dict[str, Any]]:
        """Run a worker of theirs until nothing waits. Each job raises ``error``. What came to them."""

    @abstractmethod
    def retry(self, job: int) -> None:
        """Their own tools retry a failed job."""

    def fail(self, payload: dict[str, Any], **more: Any) -> int:
        """A job that has failed; its id."""
        job = self.add(payload, **more)
        self.work(Declined("the card was declined"))
        assert self.state(job) == self.failed
        return job


class Procrastinate(Workers):
    prefix, schema = "procrastinate", "their_procrastinate"
    jobs, log = "procrastinate_jobs", "procrastinate_events"
    waiting, succeeded = "todo", "succeeded"
    task = "shop.charge"

    def sql(self) -> str:
        return SchemaManager.get_schema()

    def add(self, payload: dict[str, Any], **more: Any) -> int:
        async def defer(app: procrastinate.App) -> int:
            return await app.configure_task(self.task, queue=self.queue, **more).defer_async(**payload)

        return self._in_app(defer)

    def work(self, error: Exception | None = None, **more: Any) -> list[dict[str, Any]]:
        seen: list[dict[str, Any]] = []

        async def work(app: procrastinate.App) -> None:
            @app.task(name=self.task, queue=self.queue)
            async def charge(**payload: Any) -> None:
                seen.append(payload)
                if error:
                    raise error

            await app.run_worker_async(wait=False, install_signal_handlers=False, listen_notify=False, **more)

        self._in_app(work)
        return seen

    def retry(self, job: int) -> None:
        async def retry(app: procrastinate.App) -> None:
            await app.job_manager.retry_job_by_id_async(job, datetime.datetime.now(datetime.UTC))

        self._in_app(retry)

    def fill_sql(self, number: int) -> list[str]:
        return [
            f"SET search_path = {self.schema}",
            "INSERT INTO procrastinate_jobs (queue_name, task_name, args, status)"
            " SELECT 'billing', 'shop.charge', jsonb_build_object('n', n), 'doing'"
            f" FROM generate_series(1, {number}) n",
            "UPDATE procrastinate_jobs SET status = 'failed', attempts = 1 WHERE status = 'doing'",
            "RESET search_path",
        ]

    def _in_app(self, work: Any) -> Any:
        conninfo = make_conninfo(**self.address(), options=f"-c search_path={self.schema}")

        async def run() -> Any:
            app = procrastinate.App(connector=procrastinate.PsycopgConnector(conninfo=conninfo))
            async with app.open_async():
                return await work(app)

        return asynchronous.run(run())


class Pgqueuer(Workers):
    prefix, schema = "pgqueuer", "their_pgqueuer"
    jobs, log = "pgqueuer", "pgqueuer_log"
    waiting = "queued"

    def sql(self) -> str:
        return render_install(DBSettings())

    def add(self, payload: dict[str, Any], **more: Any) -> int:
        async def enqueue(queries: Queries) -> int:
            [number] = await queries.enqueue(self.queue, json.dumps(payload).encode(), **more)
            return number

        return self._with_queries(enqueue)

    def work(self, error: Exception | None = None, on_failure: str = "hold") -> list[dict[str, Any]]:
        seen: list[dict[str, Any]] = []

        async def work(queries: Queries) -> None:
            manager = QueueManager(queries)

            @manager.entrypoint(self.queue, on_failure=on_failure)
            async def charge(job: Job) -> None:
                seen.append(json.loads(job.payload or b""))
                if error:
                    raise error

            await manager.run(
                mode=QueueExecutionMode.drain,
                dequeue_timeout=datetime.timedelta(seconds=0.1),
                # a worker ends after an eighth of it
                heartbeat_timeout=datetime.timedelta(seconds=0.8),
                log_aggregation_interval=datetime.timedelta(0),
            )

        self._with_queries(work)
        return seen

    def retry(self, job: int) -> None:
        async def requeue(queries: Queries) -> None:
            await queries.requeue_jobs([job])

        self._with_queries(requeue)

    def fill_sql(self, number: int) -> list[str]:
        return [
            f"WITH made AS (INSERT INTO {self.schema}.pgqueuer (priority, status, entrypoint, payload)"
            " SELECT 0, 'failed', 'billing', convert_to('{}', 'UTF8')"
            f" FROM generate_series(1, {number}) RETURNING id)"
            f" INSERT INTO {self.schema}.pgqueuer_log (job_id, status, priority, entrypoint)"
            " SELECT id, 'failed', 0, 'billing' FROM made"
        ]

    def _with_queries(self, work: Any) -> Any:
        async def run() -> Any:
            given = self.address()
            # a worker on psycopg waits a second before each statement
            session = await asyncpg.connect(
                database=given.pop("dbname"), server_settings={"search_path": self.schema}, **given
            )
            try:
                return await work(Queries(AsyncpgDriver(session)))
            finally:
                await session.close()

        return asynchronous.run(run())


ALL: Sequence[Workers] = (Procrastinate(), Pgqueuer())
