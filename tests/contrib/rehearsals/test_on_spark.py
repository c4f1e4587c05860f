"""A rehearsal on Spark: a process of the pipeline runs the handlers; here its workers, without Spark."""

import json
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from dlqconsole.contrib.rehearsals.job import job, worker
from dlqconsole.contrib.rehearsals.job.worker import rehearse_range
from dlqconsole.contrib.rehearsals.models import Prediction
from dlqconsole.contrib.rehearsals.predictions import WRITES
from dlqconsole.engine import breakers
from dlqconsole.engine.known_handlers import WORKER, ProcessHeartbeat
from dlqconsole.engine.models import Attempt, EnrichedEvent
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.operations.models import Operation
from dlqconsole.operations.pages import on_spark
from dlqconsole.operations.receipts import receipt
from dlqconsole.operations.requests import service
from dlqconsole.operations.work import run
from dlqconsole.pipeline.errors import BadRequest, RunIsOver
from dlqconsole.pipeline.running.items import ranges
from dlqconsole.pipeline.running.runs import Run
from dlqconsole.runs import starting
from dlqconsole.runs.models import PipelineRun
from tests.accounts import ALICE
from tests.operations.conftest import ask, counts, work
from tests.operations.processes import address_here
from tests.pipeline.conftest import make_settings
from tests.plain_sql import column, execute

pytestmark = pytest.mark.django_db(transaction=True)

SPARK = {"on_spark": "on"}
# seconds from one look to the next; not 0, or a worker would do nothing else for the rest of its slice
SOON = 0.02


@pytest.fixture
def pipeline_settings(tmp_path, monkeypatch):
    monkeypatch.setenv("DATABASE_URL", address_here())
    return make_settings(address_here(), tmp_path)


@pytest.fixture
def pipeline(pipeline_settings, monkeypatch):
    """pipeline() does what the asked-for process would; without Spark, in this process."""
    monkeypatch.setattr(on_spark, "LOOK_SECONDS", SOON)

    def here(settings, operation, own, parts, stop, terminal):
        own.describe("here", sum(part.items for part in parts))
        for part in parts:
            rehearse_range(job._rehearsal(settings, operation, own), part)

    monkeypatch.setattr(job, "_in_spark", here)

    def once(**changed: object) -> None:
        asked = starting._claim()
        settings = replace(pipeline_settings, adopted_run=asked["id"], **changed)
        job.rehearse(settings, int(asked["arguments"]["operation"]))

    return once


def predicted(operation):
    found = Prediction.objects.filter(operation=operation).order_by("dead_letter_id")
    names = ("dead_letter_id", "payload_version", "would", "error_class", "category", "reason")
    return list(found.values_list(*names))


def everything(letters):
    for data in (
        {"order_id": 1},
        {"do": "business"},
        {"do": "missing"},
        {"do": "write"},
        {"do": "write quietly"},
        {"do": "write elsewhere"},
        {"do": "write", "leaves_out": True},
        {"do": "crash"},
        {"order_id": 2},
    ):
        letters(1, payload=json.dumps(data))
    letters(1, payload=None, payload_raw=b"{broken")
    letters(1, event_type="order.keyed")
    letters(1, event_type="unheard.of")
    letters(1, status="SUCCEEDED")
    named = {"specversion": "1.0", "id": "7", "source": "shop", "type": "order.created"}
    letters(1, event_type="unheard.of", payload=json.dumps(named | {"data": {"do": "business"}}))


def test_it_says_of_each_what_the_rehearsal_here_says(letters, pipeline, settings):
    from dlqconsole.core import handling

    everything(letters)
    rule = "('planes', 'PlaneUnknown', 'PERMANENT', true)"
    execute(f"INSERT INTO failure_rules (name, error_class, category, overrides) VALUES {rule}")
    before = column("SELECT row_to_json(d)::text FROM dlq_events d ORDER BY id")
    here = ask("rehearse", filter={})
    settings.DLQ_HANDLER_ISOLATION = "process"
    with handling.isolated():
        work(40)
    operation = ask("rehearse", filter={}, parameters=SPARK)
    until_asked()
    pipeline()
    work()
    assert predicted(operation) == predicted(here)
    assert counts(operation) == counts(here) == ("completed", 14, 3, 6, 5)
    assert {row[2] for row in predicted(here)} == {"succeed", "fail", "stop", "write", "unknown"}
    assert {row[4] for row in predicted(here) if row[3] == "PlaneUnknown"} == {"PERMANENT"}
    assert said(operation) == said(here)
    assert WRITES in said(here)
    assert column("SELECT row_to_json(d)::text FROM dlq_events d ORDER BY id") == before
    assert (Attempt.objects.count(), EnrichedEvent.objects.count()) == (0, 0)
    assert not column("SELECT 1 FROM shedlock WHERE name = 'written'")
    [own] = PipelineRun.objects.values_list("status", "total", "done", "operation_id")
    assert own == ("completed", 14, 14, operation.pk)


def said(operation):
    return {each.reason: each.count for each in receipt.outcomes(operation.pk)}


def test_cancelled_it_keeps_what_was_said_by_then(letters, pipeline, monkeypatch):
    letters(10)
    monkeypatch.setattr(worker, "KEEP_ROWS", 2)
    monkeypatch.setattr(worker, "MOST", 2)
    operation = ask("rehearse", filter={}, parameters=SPARK)
    until_asked()
    keep, calls = worker._Worker._keep, []

    def cancel_after_the_second(self, told):
        is_wanted = keep(self, told)
        calls.append(told)
        if len(calls) == 2:
            service.cancel(operation.pk, ALICE)
        return is_wanted

    monkeypatch.setattr(worker._Worker, "_keep", cancel_after_the_second)
    pipeline()
    work()
    assert counts(operation) == ("cancelled", 10, 4, 0, 0)
    assert len(predicted(operation)) == 4


def test_a_run_that_died_is_followed_by_another_that_does_only_the_rest(letters, pipeline, pipeline_settings):
    letters(6)
    operation = ask("rehearse", filter={}, parameters=SPARK)
    until_asked()
    asked = starting._claim()
    dead = Run.begin(pipeline_settings.database_url, "rehearse", "", "", asked["id"])
    dead.describe("here", 6)
    [part] = ranges(pipeline_settings, "rehearse", operation.pk)
    half = replace(part, last=part.first + 2)
    rehearsal = job._rehearsal(pipeline_settings, operation.pk, dead)
    assert rehearse_range(rehearsal, half) == 3
    dead.finish("failed", "killed")
    with pytest.raises(RunIsOver):
        rehearse_range(rehearsal, part)
    assert len(predicted(operation)) == 3
    dead.close()
    until_asked()
    pipeline()
    work()
    assert counts(operation) == ("completed", 6, 6, 0, 0)
    assert list(PipelineRun.objects.order_by("id").values_list("status", "done")) == [
        ("failed", 3),
        ("completed", 3),
    ]


def test_what_is_edited_meanwhile_and_what_a_breaker_stops_is_said(letters, pipeline, monkeypatch):
    edited, gone, *_others = letters(4)
    operation = ask("rehearse", filter={}, parameters=SPARK)
    until_asked()
    keep = worker._Worker._keep

    def edit_first(self, told):
        execute("UPDATE dlq_events SET payload = '{\"order_id\": 9}' WHERE id = %s", edited)
        execute("DELETE FROM dlq_events WHERE id = %s", gone)
        return keep(self, told)

    monkeypatch.setattr(worker._Worker, "_keep", edit_first)
    pipeline()
    work()
    assert counts(operation) == ("completed", 4, 2, 2, 0)
    assert any("changed since the list was made" in reason for reason in said(operation))
    breakers.hold("type:order.created", "open", datetime.now(UTC) + timedelta(hours=1), ALICE, "")
    second = ask("rehearse", filter={}, parameters=SPARK)
    until_asked()
    pipeline()
    work()
    assert counts(second) == ("completed", 3, 0, 3, 0)
    assert said(second) == {"not rehearsed: the breaker of the event type order.created is open": 3}


def test_it_stops_asking_what_is_away(letters, pipeline, pipeline_settings):
    letters(30, payload='{"do": "dependency"}')
    operation = ask("rehearse", filter={}, parameters=SPARK)
    until_asked()
    pipeline()
    work()
    assert counts(operation) == ("completed", 30, 0, 10, 20)
    assert not column("SELECT 1 FROM breakers")


def test_what_only_another_worker_can_rehearse_is_left_to_it_in_words(
    letters, pipeline, pipeline_settings, started_with
):
    letters(2)
    letters(1, event_type="order.keyed")
    ProcessHeartbeat(WORKER).beat()
    operation = ask("rehearse", filter={}, parameters=SPARK)
    until_asked()
    pipeline(handlers="tests.faults.poison_handlers")
    lacks = "order.created and order.keyed have no handler in DLQ_HANDLERS of this process"
    assert lacks in PipelineRun.objects.get().message
    started_with("tests.faults.poison_handlers")
    run.run(operation.pk)
    operation.refresh_from_db()
    left = "The rest is left to another worker: order.created and order.keyed have their handlers there."
    assert (operation.note, operation.done) == (left, 0)
    started_with("tests.sample_handlers")
    work()
    assert counts(operation)[0] == "completed"
    assert sum(counts(operation)[2:]) == 3


def test_where_it_cannot_be_it_is_refused(letters, pipeline_settings):
    letters(1)
    with pytest.raises(OperationRefused, match="leave out the rate"):
        ask("rehearse", filter={}, parameters=SPARK | {"rate": "5"})
    operation = ask("rehearse", filter={})
    with pytest.raises(BadRequest, match="there is no rehearse 999"):
        job.rehearse(pipeline_settings, 999)
    work()
    with pytest.raises(BadRequest, match="is completed: there is nothing to work on"):
        job.rehearse(pipeline_settings, operation.pk)


def until_asked() -> None:
    """Be the operation's worker until it has asked for a run, and until it may look again."""
    deadline = time.monotonic() + 20
    while not PipelineRun.objects.filter(status="asked").exists():
        run.take_up(0.5)
        assert time.monotonic() < deadline, list(Operation.objects.values_list("note", flat=True))
    time.sleep(SOON)
