"""The flights whose plane nobody knew, replayed once their planes were added: exact, whatever is killed.

In `make test` some of them, by a worker of the pipeline without Spark; in `make soak` all of them, by the
processes that a starter begins, with a cancel, killed processes and a person who retries some meanwhile.
"""

import csv
import os
import signal
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from types import MappingProxyType

import pytest
from django.db.models import Min

from dlqconsole.engine.models import Attempt, DeadLetter, EnrichedEvent
from dlqconsole.operations.models import Operation, OperationItem
from dlqconsole.operations.requests import service
from dlqconsole.operations.work import run
from dlqconsole.pipeline.replay import job
from dlqconsole.pipeline.replay.worker import replay_range
from dlqconsole.pipeline.running import items, worker_daemon
from dlqconsole.processing import lookups
from dlqconsole.runs import service as runs
from dlqconsole.runs import starting
from dlqconsole.runs.models import PipelineRun
from dlqconsole.system.processes import session_members
from tests.accounts import ALICE
from tests.examples.flight_data import prepared_directory
from tests.examples.flight_oracle import expected_outcomes
from tests.of_features import of_features
from tests.operations.conftest import ask, counts, work
from tests.operations.processes import Processes, address_here
from tests.pipeline.conftest import database_url, ingest_here, make_settings, make_work  # noqa: F401
from tests.sizes import SOAK, sized

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.spark]

HANDLERS = "examples.flights.handlers"
# what forks the Python processes of Spark, and what each of them is called
DAEMON = worker_daemon.__name__.encode()
FILES = sized(1, 22)


@pytest.fixture
def flights(tmp_path, monkeypatch, settings) -> Path:
    """Tables of our own and some files of flights; the handlers of the example."""
    made = tmp_path / "flights"
    (made / "events").mkdir(parents=True)
    for table in prepared_directory().glob("*.csv"):
        (made / table.name).write_bytes(table.read_bytes())
    for file in sorted(prepared_directory().glob("events/*flights*"))[:FILES]:
        os.link(file, made / "events" / file.name)
    monkeypatch.setenv("FLIGHTS_DATA_DIR", str(made))
    settings.DLQ_HANDLERS, settings.DLQ_INGEST_FOLDERS = HANDLERS, (str(made / "events"),)
    settings.DLQ_BREAKER_FAILURES, settings.DLQ_FOUR_EYES_ABOVE = 0, 1_000_000
    monkeypatch.setattr("dlqconsole.operations.pages.on_spark.LOOK_SECONDS", 0.1)
    monkeypatch.setattr("dlqconsole.operations.pages.on_spark.PAUSE_SECONDS", 1)
    # else what was added is seen within a second
    monkeypatch.setattr(lookups, "CHECK_EVERY", 0.0)
    return made


def add_planes(folder: Path) -> None:
    """Every plane that a flight names and nobody knew."""
    with (folder / "planes.csv").open() as file:
        columns = next(csv.reader(file))
    wanted = {
        letter["data"]["tailnum"]
        for letter in DeadLetter.objects.filter(error_class="PlaneUnknown").values_list("payload", flat=True)
    }
    row = {"model": "A380", "manufacturer": "AIRBUS", "seats": "500"}
    with (folder / "planes.csv").open("a") as file:
        lines = csv.DictWriter(file, columns, restval="NA", lineterminator="\n")
        lines.writerows({"tailnum": tailnum} | row for tailnum in sorted(wanted))


def expected() -> dict[str, int]:
    """Return what the CSV files alone say, where every plane is known."""
    keys = {f"{key}" for key in EnrichedEvent.objects.values_list("source_key", flat=True)}
    keys |= {f"{key}" for key in DeadLetter.objects.values_list("source_key", flat=True)}
    found: dict[str, int] = {}
    for (kind, key), ending in expected_outcomes(every_plane=True).items():
        if kind == "flight.departed" and key in keys:
            found[ending] = found.get(ending, 0) + 1
    return found


def outcome() -> dict[str, int]:
    """Return what is in the tables; an event that was healed is the enriched one."""
    found = {"enriched": EnrichedEvent.objects.count()}
    for name in DeadLetter.objects.exclude(status="SUCCEEDED").values_list("error_class", flat=True):
        found[name] = found.get(name, 0) + 1
    return found


def check(before: int) -> None:
    """Every event is in one state, each healed one has one record, and nobody was charged for a kill."""
    assert outcome() == expected()
    assert DeadLetter.objects.count() == before
    assert not DeadLetter.objects.filter(status="RETRYING").exists()
    assert not DeadLetter.objects.filter(crash_count__gt=0).exists()


def test_they_are_healed_exactly(flights, ingest_here, monkeypatch, tmp_path):  # noqa: F811
    if SOAK:
        _all_of_them(flights, tmp_path)
    else:
        _some_of_them(flights, ingest_here, monkeypatch, tmp_path)


def _some_of_them(flights, ingest_here, monkeypatch, tmp_path) -> None:  # noqa: F811
    """By a worker of the pipeline, in this process. Some ranges are enough: each starts a process."""
    monkeypatch.setattr(items, "FEWEST_ITEMS", 250)
    lines = b"".join(file.read_bytes() for file in (flights / "events").iterdir()).splitlines()[:3_000]
    ingest_here(*lines, handlers=HANDLERS)
    before, unknown = DeadLetter.objects.count(), unknown_planes().count()
    add_planes(flights)
    predictions = [
        rehearsed(unknown, the_group(), monkeypatch, tmp_path)
        for rehearsed in of_features("rehearsed_here_and_there")
    ]
    operation = ask("replay", filter=the_group(), expected=unknown)
    run.take_up(2)
    asked = starting._claim()

    def here(settings, operation, own, parts, stop, terminal):
        for part in parts:
            replay_range(job._replay(settings, operation, own), part)

    monkeypatch.setattr(job, "_in_spark", here)
    settings = make_settings(address_here(), tmp_path)
    settings = replace(settings, handlers=HANDLERS, adopted_run=asked["id"])
    job.replay(settings, operation.pk)
    work()
    _status, selected, done, _skipped, failed = counts(operation)
    assert selected == done + failed == unknown > 300
    check(before)
    assert [predicted for predicted in predictions if predicted != became()] == []


def became() -> dict[str, int]:
    """Return how the same ones have ended."""
    items = OperationItem.objects.filter(operation=Operation.objects.filter(kind="replay").latest("id"))
    letters = DeadLetter.objects.filter(pk__in=items.values("dead_letter_id"))
    ended = letters.values_list("status", "error_class")
    return dict(Counter("SUCCEEDED" if status == "SUCCEEDED" else name for status, name in ended))


def _all_of_them(flights, tmp_path) -> None:
    """By the processes that a starter begins."""
    with Processes(
        DLQ_DATA_DIR=str(tmp_path / "data"),
        DLQ_HANDLERS=HANDLERS,
        FLIGHTS_DATA_DIR=str(flights),
        SPARK_MASTER="local[2]",
        DLQ_BREAKER_FAILURES="0",
        DLQ_INGEST_FOLDERS=str(flights / "events"),
    ) as processes:
        processes.start("tests.runs.a_starter")
        runs.ask("ingest", {"source": str(flights / "events")}, ALICE)
        ingest = until_over(600)
        before, unknown = DeadLetter.objects.count(), unknown_planes().count()
        assert (EnrichedEvent.objects.count(), unknown) == (272_528, 48_550)
        add_planes(flights)
        for rehearsed in of_features("rehearsed_on_spark"):
            rehearsed(unknown, the_group())
            print(f"rehearse {speed(until_over(60))}")
        _cancelled_in_the_middle(unknown)
        _with_kills_and_a_person(unknown)
        check(before)
        # the figures, in one run of all this
        print(f"ingest {speed(ingest, EnrichedEvent.objects.aggregate(Min('created_at')))}")


def _cancelled_in_the_middle(unknown: int) -> None:
    operation = ask("replay", filter=the_group(), expected=unknown)
    until_done(operation, 1)
    service.cancel(operation.pk, ALICE)
    until_over(60)
    work(60)
    status, selected, done, skipped, failed = counts(operation)
    assert (status, selected, skipped) == ("cancelled", unknown, 0)
    assert 0 < done + failed < unknown
    assert not DeadLetter.objects.filter(status="RETRYING").exists()


def _with_kills_and_a_person(unknown: int) -> None:
    left = DeadLetter.objects.filter(error_class="PlaneUnknown").exclude(status="SUCCEEDED")
    number = left.count()
    by_hand = list(left.order_by("-id").values_list("id", flat=True)[:300])
    operation = ask("replay", filter=the_group() | {"status": "PENDING"}, expected=number)
    mine = ask("retry", ids=by_hand)
    own = until_done(operation, 1)
    os.kill(_python_worker(own.pid), signal.SIGKILL)
    own = until_done(operation, number // 5)
    os.kill(own.pid, signal.SIGKILL)
    work(300)
    selected, done, skipped, failed = counts(operation)[1:]
    assert selected == done + skipped + failed == number
    assert counts(mine)[1] == 300
    assert skipped <= 300
    assert PipelineRun.objects.filter(operation_id=operation.pk, exit_status=-9).count() == 1
    # nobody has disturbed the last
    last = until_over(60)
    tried = Attempt.objects.filter(worker__startswith=f"replay {last.pk}:")
    print(f"replay {speed(last, tried.aggregate(Min('started_at')))}")


def _python_worker(driver: int) -> int:
    """One of the Python processes in which a driver's handlers run."""
    for pid in session_members(driver):
        line = Path(f"/proc/{pid}/cmdline").read_bytes()
        parent = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        if DAEMON in line and DAEMON in Path(f"/proc/{parent}/cmdline").read_bytes():
            return pid
    raise AssertionError("there is no worker to kill")


def until_done(operation, items: int) -> PipelineRun:
    """Be the operation's worker until so many of its items are settled; its run."""
    deadline = time.monotonic() + 180
    while True:
        found = PipelineRun.objects.filter(operation_id=operation.pk, status="running").first()
        if found is None:
            run.take_up(0.5)
        operation.refresh_from_db()
        if found and operation.done + operation.failed >= items:
            return found
        assert time.monotonic() < deadline, operation.note
        time.sleep(0.02)


def until_over(seconds: float) -> PipelineRun:
    """Wait for the last run's end."""
    deadline = time.monotonic() + seconds
    while (last := PipelineRun.objects.latest("id")).is_open:
        assert time.monotonic() < deadline, last.message
        time.sleep(0.2)
    return last


def the_group() -> dict[str, str]:
    """Their failure group: by a text, only what was made searchable is found."""
    return {"group": str(unknown_planes().first().group_id)}


def unknown_planes():
    return DeadLetter.objects.filter(error_class="PlaneUnknown")


def speed(own: PipelineRun, first: Mapping[str, datetime] = MappingProxyType({})) -> str:
    """``first``: when it wrote its first row, where that is known."""
    own.refresh_from_db()
    begun = zip(("with Spark's start", "without"), (own.started_at, *first.values()), strict=False)
    took = {words: (own.finished_at - since).total_seconds() for words, since in begun}
    said = (f"in {seconds:.1f} s {words}: {own.done / seconds:,.0f}/s" for words, seconds in took.items())
    return f"{own.done:,} {'; '.join(said)}"
