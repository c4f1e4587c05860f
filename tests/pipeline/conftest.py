"""Shared parts of the pipeline's tests: the test database's address, one Spark, small helpers."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import psycopg
import pytest
from django.db import connection
from psycopg.rows import dict_row

from dlqconsole.pipeline.ingest.ledger import Ledger
from dlqconsole.pipeline.ingest.reading import ingest_piece
from dlqconsole.pipeline.ingest.rounds import Compute, FileNotes, Rounds
from dlqconsole.pipeline.running.runs import Run
from dlqconsole.pipeline.running.terminal import Terminal
from dlqconsole.pipeline.settings import Settings
from dlqconsole.pipeline.sink.work import RunWork
from dlqconsole.pipeline.sources.files import look_for_files
from dlqconsole.pipeline.sources.folder import Folder
from dlqconsole.pipeline.sources.survey import Request
from dlqconsole.processing.limits import DEFAULT_LIMITS
from tests.starting import Popen

HANDLERS = "tests.sample_handlers"


@pytest.fixture
def database_url(transactional_db) -> str:
    """The test database, as another process reaches it."""
    given = connection.get_connection_params()
    names = {"host": "host", "port": "port", "user": "user", "password": "password", "dbname": "dbname"}
    return psycopg.conninfo.make_conninfo("", **{name: given[name] for name in names if given.get(name)})


@pytest.fixture
def rows(database_url) -> Iterator[Callable[..., list[dict]]]:
    """rows("SELECT …") as dictionaries, seen by a connection of its own."""
    with psycopg.connect(database_url, row_factory=dict_row, autocommit=True) as other:

        def select(query: str, *values: object) -> list[dict]:
            cursor = other.execute(query, values or None)
            return cursor.fetchall() if cursor.description else []

        yield select


@pytest.fixture
def pipeline_settings(database_url, tmp_path) -> Settings:
    return make_settings(database_url, tmp_path / "data")


def make_settings(database_url: str, data: Path) -> Settings:
    return Settings(
        database_url=database_url,
        handlers=HANDLERS,
        reports="tests.pipeline.sample_reports",
        data=data,
        spark_master="local[2]",
        spark_memory="1g",
        limits=DEFAULT_LIMITS,
        backoff_base=60,
        handler_timeout=30,
    )


@pytest.fixture(scope="session")
def spark(tmp_path_factory) -> Iterator[object]:
    """One Spark for all tests that run jobs in this process."""
    from dlqconsole.pipeline.running.session import spark_context

    with pytest.MonkeyPatch.context() as patch:
        # its processes' path is made of ours; what tests start later have their own, and can be forked
        patch.syspath_prepend(Path(__file__).with_name("installed_pyspark"))
        patch.setenv("PYTHONPATH", os.environ.get("PYTHONPATH", ""))
        with spark_context(make_settings("", tmp_path_factory.mktemp("spark")), "tests") as context:
            patch.undo()
            yield context


@pytest.fixture
def make_work(database_url) -> Iterator[Callable[..., RunWork]]:
    """make_work() begins a run; what a worker needs to know of it."""
    runs = []

    def make(**changed: object) -> RunWork:
        runs.append(Run.begin(database_url, "ingest", "a test"))
        values = {
            "database_url": database_url,
            "run_id": runs[-1].id,
            "handlers": HANDLERS,
            "limits": DEFAULT_LIMITS,
            "handler_timeout": 30,
            "backoff_base": 60,
        }
        return RunWork(**{**values, **changed})

    yield make
    for run in runs:
        run.close()


@pytest.fixture
def ingest_here(make_work, tmp_path) -> Callable[..., dict]:
    """ingest_here(*lines) has a worker read them from events.jsonl, without Spark; outcome → events."""

    def run(*lines: bytes, name: str = "events.jsonl", **changed: object) -> dict:
        folder = tmp_path / "source"
        folder.mkdir(exist_ok=True)
        (folder / name).write_bytes(b"\n".join(lines))
        work, total = make_work(**changed), {}
        for piece in Request(look_for_files(str(folder / name)).files[0]).look().pieces:
            for (_, outcome), count in ingest_piece(work, piece).items():
                total[outcome] = total.get(outcome, 0) + count
        return total

    return run


@pytest.fixture
def ingest_folder(database_url, make_work) -> Callable[..., dict]:
    """ingest_folder(path) does what the job does, here and without Spark; what the run counted and said.

    ``between``: it watches, and these happen between two looks.
    """

    def run(
        source: object,
        *,
        again: bool = False,
        compute: Compute = here,
        between: Sequence[Callable[[], object]] | None = None,
        **changed: object,
    ) -> dict:
        run = Run.begin(database_url, "ingest", str(source))
        notes, ledger = FileNotes(run, Terminal("ingest")), Ledger(database_url, run.id, again=again)
        work = make_work(run_id=run.id, **changed)
        rounds = Rounds(Folder(str(source), ledger.recall), work, run, ledger, notes, compute)
        for change in [None] if between is None else [lambda: None, *between]:
            if change:
                change()
            if requests := rounds.news() if change else rounds.everything():
                rounds.read(requests)
        run.beat()
        run.finish("completed", notes.sentence)
        run.close()
        return {"said": notes.sentence, **run.progress.counts}

    return run


def here(function: Callable, values: Sequence) -> list:
    """Do what Spark would do, in this process."""
    return [function(value) for value in values]


@pytest.fixture
def command(database_url, tmp_path) -> Callable[..., subprocess.Popen]:
    """command("ingest", …) starts the real command in a process of its own."""
    started = []

    def start(*arguments: object, **changed: str) -> subprocess.Popen:
        environment = {
            **os.environ,
            "DATABASE_URL": database_url_as_url(database_url),
            "DLQ_DATA_DIR": str(tmp_path / "data"),
            "DLQ_HANDLERS": HANDLERS,
            "SPARK_MASTER": "local[2]",
            **changed,
        }
        line = [sys.executable, "-m", "dlqconsole.pipeline", *map(str, arguments)]
        process = Popen(
            line,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
            process.wait()


def database_url_as_url(conninfo: str) -> str:
    parts = psycopg.conninfo.conninfo_to_dict(conninfo)
    account = parts.get("user", "") + (f":{parts['password']}" if parts.get("password") else "")
    return f"postgres://{account}@{parts['host']}:{parts.get('port', 5432)}/{parts['dbname']}"
