"""The needs of handlers are checked before the first event, where they will run."""

import gc
import os
import subprocess
import sys

import pytest

from dlqconsole.configuration.settings import NOT_THE_PIPELINES
from dlqconsole.pipeline.dataframes.handlers import environment_now
from dlqconsole.pipeline.errors import BadRequest
from dlqconsole.pipeline.running.jobs import in_plain_words
from dlqconsole.pipeline.sink import work
from dlqconsole.pipeline.sink.work import environment_of, make_ready, problem_of_worker
from dlqconsole.processing.errors import HandlerSetupError
from dlqconsole.processing.handlers import handler, load_handlers
from tests.of_features import all_of
from tests.pipeline.conftest import database_url_as_url

from .hostile import event

MODULE = """
from dlqconsole.processing import handler, table

@handler("order.created", lookups={{"prices": table("prices.csv", key="sku")}}, needs="BILLING_URL")
def created(event, lookups):
    return {{"price": lookups["prices"][event.data["sku"]]["price"]}}
"""


@pytest.fixture
def shop(tmp_path, monkeypatch):
    """A module of handlers that needs a variable and a file; the folder for that file."""
    name = f"shop_{tmp_path.name.replace('-', '_')}"
    (tmp_path / f"{name}.py").write_text(MODULE.format())
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("DLQ_LOOKUPS_DIR", str(tmp_path))
    monkeypatch.setattr(work, "_ready", set())
    monkeypatch.setenv("BILLING_URL", "")
    yield name
    sys.modules.pop(name, None)
    load_handlers.cache_clear()


@pytest.mark.django_db(transaction=True)
def test_no_dead_letter_is_written_while_something_is_missing(shop, make_work, ingest_here, rows, tmp_path):
    with pytest.raises(BadRequest, match="BILLING_URL, which a handler needs, is not set"):
        ingest_here(event("1", sku="a"), handlers=shop)
    variables = (("BILLING_URL", "http://billing"),)
    with pytest.raises(BadRequest, match=r"the worker on .*: lookup file .*prices\.csv cannot be read"):
        ingest_here(event("1", sku="a"), handlers=shop, environment=variables)
    assert rows("SELECT FROM dlq_events UNION ALL SELECT FROM enriched_events") == []


@pytest.mark.django_db(transaction=True)
def test_what_we_have_travels(shop, make_work, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DLQ_LOOKUPS_DIR", ".")
    monkeypatch.setenv("BILLING_URL", "http://billing")
    travels = environment_of(shop)
    assert dict(travels) == {"DLQ_LOOKUPS_DIR": str(tmp_path), "BILLING_URL": "http://billing"}
    monkeypatch.delenv("BILLING_URL")
    (tmp_path / "prices.csv").write_text("sku,price\na,1\n")
    assert problem_of_worker(make_work(handlers=shop, environment=travels)) == ""
    assert os.environ["BILLING_URL"] == "http://billing"


WORKER = """
import sys
from dlqconsole.pipeline.sink.work import problem_of_worker
from dlqconsole.pipeline.sink.work import RunWork
from dlqconsole.processing.limits import Limits

assert not problem_of_worker(RunWork("", 1, "tests.histories.failing_handlers", Limits(), 1.0, 1.0))
assert "django" not in sys.modules
from django.db import connection
connection.cursor().execute("CREATE TABLE by_a_handler ()")
"""


@pytest.mark.django_db(transaction=True)
def test_a_handler_meets_djangos_connection_where_it_asks_for_it(database_url, rows):
    """Else it would fail in Spark alone, or lose a write whose failure it swallows."""
    environment = {**os.environ, "DATABASE_URL": database_url_as_url(database_url)}
    for name in ("DJANGO_SETTINGS_MODULE", "SECRET_KEY"):
        environment.pop(name, None)
    subprocess.run([sys.executable, "-c", WORKER], env=environment, check=True)
    assert rows("DROP TABLE by_a_handler") == []


def test_what_signs_sessions_does_not_go_to_the_servers_of_a_users_job(shop, monkeypatch):
    for name in NOT_THE_PIPELINES:
        monkeypatch.setenv(name, "hush-hush")
    assert {"SECRET_KEY", "REDIS_URL", *all_of("SECRETS")} <= NOT_THE_PIPELINES
    assert NOT_THE_PIPELINES.isdisjoint(dict(environment_now()))
    assert "DATABASE_URL" in dict(environment_now())


def test_the_command_line_works_without_the_key_of_the_console():
    script = (
        "from dlqconsole.pipeline.__main__ import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "from django.conf import settings\n"
        "assert len(settings.SECRET_KEY) > 50"
    )
    environment = {**os.environ, "SECRET_KEY": ""}
    subprocess.run([sys.executable, "-c", script], env=environment, check=True)


@pytest.mark.parametrize("name", ["", "x" * 101, "A\x00B", 7])
def test_a_variable_without_a_name_is_refused(name):
    with pytest.raises(HandlerSetupError, match=r"needs is a name such as 'BILLING_URL'"):
        handler("order.created", needs=[name])


@pytest.mark.parametrize(
    ("error", "found"),
    [
        (
            "x\nModuleNotFoundError: No module named 'orjson'\n\tat y",
            "the Python of Spark's workers has no module orjson",
        ),
        (
            "[PYTHON_VERSION_MISMATCH] Python in worker has different version: 3.11 than that",
            "Spark's workers run Python 3.11, and this is Python 3.",
        ),
        ('java.io.IOException: Cannot run program "pythn": error=2', "Spark's workers cannot run pythn"),
    ],
)
def test_workers_of_another_python_are_told_by_name(error, found):
    told = in_plain_words(RuntimeError(error))
    assert isinstance(told, BadRequest)
    assert str(told).startswith(found)
    assert "set PYSPARK_PYTHON, before the session is made, to a Python that has all" in str(told)
    assert str(told).endswith(f"such as {sys.executable}")


@pytest.mark.spark
@pytest.mark.django_db(transaction=True)
def test_what_a_worker_of_spark_has_loaded_is_no_garbage_of_its_tasks(spark, make_work):
    def passed_over(work) -> int:
        make_ready(work)
        return gc.get_freeze_count()

    assert spark.parallelize([make_work()], 1).map(passed_over).first() > 10_000
