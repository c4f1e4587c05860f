"""A worker that starts runs says that it lives, busy or not; where none does, what waits says so."""

import signal

import pytest

from dlqconsole.engine import known_handlers
from dlqconsole.engine.known_handlers import PIPELINE
from dlqconsole.runs import service
from dlqconsole.runs.models import PipelineRun
from tests.celery_workers import celery  # noqa: F401 - a fixture
from tests.waiting import eventually

pytestmark = pytest.mark.django_db(transaction=True)

NOBODY = "no worker that starts runs has been heard of in two minutes"


@pytest.fixture(autouse=True)
def no_wakeups(monkeypatch):
    monkeypatch.setattr("dlqconsole.runs.service.wake", lambda: None)


def says_so(page: str) -> bool:
    return NOBODY in page and service.starter_command() in page


def test_a_worker_of_the_pipeline_says_that_it_lives_and_that_it_ends(celery):  # noqa: F811
    worker = celery("--queues", "pipeline")
    eventually(lambda: len(known_handlers.serving(PIPELINE)) == 1, seconds=60)
    assert service.why_waiting() == service.starter_warning() == ""
    # it has no word in what can be retried
    assert known_handlers.of_workers() == frozenset()
    worker.send_signal(signal.SIGTERM)
    worker.wait(60)
    assert known_handlers.serving(PIPELINE) == []


def test_a_worker_of_other_queues_is_none(celery):  # noqa: F811
    celery("--queues", "ticks")
    celery("--queues", "dlqconsole,pipeline")
    eventually(lambda: len(known_handlers.serving(PIPELINE)) == 1, seconds=60)


def test_what_waits_for_nobody_says_so_and_what_to_start(viewer, operator, monkeypatch):
    assert says_so(operator.get("/runs/new/report/").content.decode().replace("No worker", "no worker"))
    told = operator.post("/runs/new/report/", {"which": "open"}, follow=True).content.decode()
    assert "A worker begins it." not in told
    run_id = PipelineRun.objects.get().pk
    for address in ("/runs/", f"/runs/{run_id}/", "/"):
        assert says_so(viewer.get(address).content.decode()), address
    starter = known_handlers.presence_of_celery([PIPELINE])
    starter.start()
    eventually(lambda: len(known_handlers.serving(PIPELINE)) == 1)
    for address in ("/runs/", f"/runs/{run_id}/", "/", "/runs/new/report/"):
        text = (operator if "new" in address else viewer).get(address).content.decode()
        assert service.starter_command() not in text, address
    assert "aits for a worker" in viewer.get(f"/runs/{run_id}/").content.decode()
    starter.stop()
    assert says_so(viewer.get("/runs/").content.decode())
