"""Replay: a process of the pipeline runs the handlers and settles each; here its workers, without Spark."""

import sys
import time
from contextlib import closing
from dataclasses import replace

import pytest

from dlqconsole.core.flow.judging import Bounds
from dlqconsole.core.handling import HandlerResult, Identity
from dlqconsole.engine.models import Attempt, AuditEntry, DeadLetter, EnrichedEvent, PacedGroup
from dlqconsole.operations import kinds
from dlqconsole.operations.models import Operation
from dlqconsole.operations.pages import on_spark
from dlqconsole.operations.requests import service
from dlqconsole.operations.work import run
from dlqconsole.pipeline.database import connect
from dlqconsole.pipeline.errors import BadRequest
from dlqconsole.pipeline.replay import job, worker
from dlqconsole.pipeline.replay.claims import WorkerClaims
from dlqconsole.pipeline.replay.worker import replay_passed_over, replay_range
from dlqconsole.pipeline.running import items
from dlqconsole.pipeline.running.items import ItemRange
from dlqconsole.pipeline.running.runs import Run
from dlqconsole.retries.models import RetryPolicy
from dlqconsole.runs import starting
from dlqconsole.runs.models import PipelineRun
from tests.accounts import ALICE
from tests.keeper import keeper, kept
from tests.operations.conftest import ask, counts, statuses, work
from tests.operations.processes import address_here
from tests.pipeline.conftest import make_settings
from tests.plain_sql import value

pytestmark = pytest.mark.django_db(transaction=True)

# seconds from one look to the next; not 0, or a worker would do nothing else for the rest of its slice
SOON = 0.02
GOOD, BAD, AWAY = '{"order_id": 1}', '{"do": "business"}', '{"do": "dependency"}'


@pytest.fixture
def pipeline_settings(tmp_path):
    return make_settings(address_here(), tmp_path)


@pytest.fixture
def pipeline(pipeline_settings, monkeypatch):
    """pipeline() does what the asked-for process would; without Spark, in this process. It takes settings."""
    monkeypatch.setattr(on_spark, "LOOK_SECONDS", SOON)

    def here(settings, operation, run, parts, stop, terminal):
        replay = job._replay(settings, operation, run)
        for part in parts:
            replay_range(replay, part)
        replay_passed_over(replay, ItemRange(parts[0].first, parts[-1].last, 0))

    monkeypatch.setattr(job, "_in_spark", here)

    def once(**changed: object) -> None:
        asked = starting._claim()
        settings = replace(pipeline_settings, adopted_run=asked["id"], **changed)
        job.replay(settings, int(asked["arguments"]["operation"]))

    return once


def test_what_can_heal_heals_and_the_rest_says_why_not(letters, pipeline):
    letters(3, payload=GOOD)
    letters(2, payload=BAD)
    letters(1, status="SUCCEEDED")
    letters(1, event_type="unheard.of")
    operation = ask("replay", filter={}, expected=7)
    until_asked()
    # the slice may have been over before it could say so
    run.run(operation.pk)
    operation.refresh_from_db()
    assert "is to work on it" in operation.note or "works on it" in operation.note
    pipeline()
    work()
    assert counts(operation) == ("completed", 7, 3, 2, 2)
    assert statuses() == {"SUCCEEDED": 4, "PENDING": 3}
    assert EnrichedEvent.objects.count() == 3
    found = PipelineRun.objects.get()
    assert (found.status, found.total, found.done, found.operation_id) == ("completed", 5, 5, operation.pk)
    assert Attempt.objects.filter(kind="replay").count() == 5
    noted = AuditEntry.objects.filter(operation_id=operation.pk, detail__has_key="first")
    assert sum(entry.detail.get("done", 0) for entry in noted) == 3


def test_a_failure_is_written_as_a_retry_writes_it(letters, pipeline):
    (letter_id,) = letters(1, payload=AWAY)
    ask("replay", ids=[letter_id])
    until_asked()
    pipeline()
    work()
    letter = DeadLetter.objects.get(pk=letter_id)
    assert (letter.status, letter.retry_count, letter.occurrences) == ("PENDING", 1, 2)
    assert (letter.error_class, letter.error_category) == ("BillingAway", "DEPENDENCY")
    assert letter.retry_after > letter.last_failure_at


def test_what_fails_again_waits_as_its_policy_says(letters, pipeline):
    RetryPolicy.objects.create(event_type="order.created", backoff="fixed", backoff_base_seconds=5_000)
    RetryPolicy.objects.create(max_retries=1)
    business, dependency = letters(1, payload=BAD) + letters(1, payload=AWAY)
    ask("replay", filter={}, expected=2)
    until_asked()
    pipeline()
    work()
    for letter_id, status in ((business, "EXHAUSTED"), (dependency, "EXHAUSTED")):
        letter = DeadLetter.objects.get(pk=letter_id)
        waits = (letter.retry_after - letter.last_failure_at).total_seconds()
        assert (letter.status, round(waits, 1)) == (status, 5_000)


def test_features_keep_dead_letters_that_succeed(letters, pipeline):
    letters(3, payload=GOOD)
    ask("replay", filter={}, expected=3)
    until_asked()
    pipeline(success_keepers=(keeper,))
    work()
    assert kept() == ['order.created {"order_id": 1}, had failed'] * 3


def group_of(reason="Refused: no"):
    """The failure group of the dead letters with such a reason."""
    return DeadLetter.objects.filter(error_reason=reason)[0].group_id


def test_a_slowed_group_is_replayed_at_its_own_pace_and_nobody_waits_for_it(letters, pipeline):
    letters(80, payload=GOOD, reason="Slow: no")
    letters(70, payload=GOOD)
    operation = ask("replay", filter={}, expected=150)
    until_asked()
    slowed = group_of("Slow: no")
    PacedGroup.objects.create(
        operation_id=operation.pk, group_id=slowed, rate=40, floor=1, ceiling=500,
        why="34 % of 210 failed again", slowed_at="2026-11-22T17:03:00Z",
    )  # fmt: skip
    PacedGroup.objects.create(event_type="order.created", group_id=slowed, rate=0.1, floor=0.1, ceiling=500)
    began = time.monotonic()
    pipeline(pace=Bounds(1, 500, 0.2))
    assert time.monotonic() - began > 0.9, "forty at once, and then forty a second"
    work()
    assert counts(operation) == ("completed", 150, 150, 0, 0)
    assert PacedGroup.objects.get(operation_id=operation.pk, group_id=slowed).tried == 80
    assert AuditEntry.objects.filter(action="slow", operation_id=operation.pk).count() == 1


def test_what_fails_again_all_of_it_is_held_to_the_floor_within_a_hundred(letters, pipeline, monkeypatch):
    letters(400, payload=BAD)
    ids = letters(400, payload=GOOD, reason="Another: no")
    operation = ask("replay", filter={}, expected=800)
    until_asked()
    wanted = iter([True] * 2 + [False] * 100)
    monkeypatch.setattr(WorkerClaims, "is_wanted", lambda self: next(wanted))
    pipeline(pace=Bounds(1, 500, 0.2))
    operation.refresh_from_db()
    assert operation.failed <= 100
    assert DeadLetter.objects.filter(pk__in=ids, status="SUCCEEDED").count() == 400, "nobody waited behind"


def test_at_full_speed_no_pace_is_asked(letters, pipeline):
    letters(60, payload=GOOD)
    operation = ask("replay", filter={}, expected=60, parameters={"full_speed": "on"})
    until_asked()
    PacedGroup.objects.create(operation_id=operation.pk, group_id=group_of(), rate=1, floor=1, ceiling=500)
    pipeline(pace=Bounds(1, 500, 0.2))
    work()
    assert counts(operation) == ("completed", 60, 60, 0, 0)
    assert PacedGroup.objects.get().tried == 0


def test_cancelled_it_leaves_the_rest_as_it_was(letters, pipeline, monkeypatch):
    ids = letters(20, payload=GOOD)
    operation = ask("replay", ids=ids)
    until_asked()
    _after(monkeypatch, 1, lambda: service.cancel(operation.pk, ALICE))
    pipeline()
    work()
    status, selected, done, skipped, failed = counts(operation)
    assert (status, selected, skipped, failed) == ("cancelled", 20, 0, 0)
    assert 0 < done < 20
    assert statuses() == {"SUCCEEDED": done, "PENDING": 20 - done}
    assert not DeadLetter.objects.filter(status="PENDING", retry_count__gt=0).exists()


def test_what_a_person_retries_meanwhile_is_theirs(letters, pipeline):
    ids = letters(6, payload=GOOD)
    operation = ask("replay", ids=ids)
    until_asked()
    mine = ask("retry", ids=ids[:2])
    run.run(mine.pk)
    pipeline()
    work()
    assert counts(mine) == ("completed", 2, 2, 0, 0)
    assert counts(operation) == ("completed", 6, 4, 2, 0)
    assert EnrichedEvent.objects.count() == 6
    kinds = sorted(Attempt.objects.values_list("kind", flat=True))
    assert kinds == ["operation"] * 2 + ["replay"] * 4


def test_what_a_dead_process_held_is_taken_over_and_charged_to_nobody(letters, pipeline, pipeline_settings):
    ids = letters(4, payload=GOOD)
    operation = ask("replay", ids=ids)
    until_asked()
    asked = starting._claim()
    first = Run.begin(pipeline_settings.database_url, "replay", "", "", asked["id"])
    with closing(connect(pipeline_settings.database_url, "a test")) as own:
        hold = WorkerClaims(job._replay(pipeline_settings, operation.pk, first), own, "replay dead")
        hold.claim(0, ids[-1], 3, ["order.created"], [])
    first.finish("failed", "killed")
    first.close()
    assert statuses() == {"RETRYING": 3, "PENDING": 1}
    PipelineRun.objects.update(finished_at="2020-01-01T00:00Z")
    until_asked()
    pipeline()
    work()
    assert counts(operation) == ("completed", 4, 4, 0, 0)
    assert not DeadLetter.objects.filter(crash_count__gt=0).exists()
    assert EnrichedEvent.objects.count() == 4


def test_the_stale_worker_settles_nothing(letters, pipeline_settings, pipeline):
    ids = letters(2, payload=GOOD)
    operation = ask("replay", ids=ids)
    until_asked()
    asked = starting._claim()
    own = Run.begin(pipeline_settings.database_url, "replay", "", "", asked["id"])
    replay = job._replay(pipeline_settings, operation.pk, own)
    with closing(connect(pipeline_settings.database_url, "a test")) as connected:
        stale = WorkerClaims(replay, connected, "replay stale")
        _last, claims = stale.claim(0, ids[-1], 10, ["order.created"], [])
        replay_range(replay, ItemRange(ids[0], ids[-1], 2))
        for claim in claims:
            failure = worker.Failed.from_error(ValueError("late"))
            claim.result = HandlerResult(Identity("order.created", "test", str(claim.letter.id)), failure)
        assert stale.settle(claims) == []
    own.close()
    assert statuses() == {"SUCCEEDED": 2}


def test_a_handler_that_ends_its_process_harms_only_itself(letters, pipeline, monkeypatch):
    letters(2, payload=GOOD)
    (killer,) = letters(1, payload='{"do": "crash"}')
    monkeypatch.setattr(worker, "_task_attempt", lambda: 1)
    operation = ask("replay", filter={}, expected=3)
    until_asked()
    pipeline()
    work()
    assert counts(operation) == ("completed", 3, 2, 0, 1)
    assert DeadLetter.objects.get(pk=killer).crash_count == 1
    assert statuses()["SUCCEEDED"] == 2


def test_a_record_that_the_database_refuses_is_that_ones_failure(letters, pipeline):
    letters(3, payload=GOOD)
    letters(1, payload=None, payload_raw=b'{"order_id": "a\\u0000"}')
    operation = ask("replay", filter={}, expected=4)
    until_asked()
    pipeline()
    work()
    assert sum(counts(operation)[2:]) == 4
    assert statuses()["SUCCEEDED"] >= 3


def test_a_run_is_asked_for_before_a_million_items_are_looked_through(letters, pipeline, monkeypatch):
    monkeypatch.setattr(on_spark.ReplayPages, "page_rows", 1)
    operation = ask("replay", ids=letters(5, payload=GOOD))
    until_asked()
    [noted] = AuditEntry.objects.filter(operation_id=operation.pk, detail__has_key="begun")
    assert noted.detail["begun"] == 1
    pipeline()
    work()
    assert counts(operation) == ("completed", 5, 5, 0, 0)


def test_a_run_that_did_nothing_is_not_followed_by_another_at_once(letters, pipeline):
    operation = ask("replay", ids=letters(1, payload=GOOD))
    until_asked()
    PipelineRun.objects.update(status="failed", message="it failed: no Java", finished_at=database_now())
    run.run(operation.pk)
    operation.refresh_from_db()
    assert "did nothing (it failed: no Java); another is asked for in a minute" in operation.note
    assert PipelineRun.objects.count() == 1


def test_a_process_without_the_handler_says_which_it_lacks(letters, pipeline):
    letters(3, payload=GOOD)
    letters(1, event_type="order.keyed")
    operation = ask("replay", filter={}, expected=4)
    until_asked()
    pipeline(handlers="tests.faults.poison_handlers")
    found = PipelineRun.objects.get()
    why = "order.created and order.keyed have no handler in DLQ_HANDLERS of this process"
    assert (found.done, found.message) == (0, f"0 of 0 events; {why}")
    run.run(operation.pk)
    operation.refresh_from_db()
    assert f"did nothing ({found.message}); another is asked for in a minute" in operation.note


@pytest.mark.parametrize(
    ("letters_asked", "sizes"),
    [(100, [100]), (150, [100, 50]), (803, [101] * 7 + [96])],
)
def test_little_is_cut_into_several_ranges_too(letters, pipeline_settings, letters_asked, sizes):
    ids = letters(letters_asked)
    operation = ask("replay", ids=ids)
    until_asked()
    parts = items.ranges(pipeline_settings, "replay", operation.pk)
    assert [part.items for part in parts] == sizes
    assert [part.first for part in parts] == [ids[sum(sizes[:place])] for place in range(len(sizes))]
    assert parts[-1].last == ids[-1]


def test_no_range_is_larger_than_a_worker_may_lose(letters, pipeline_settings, monkeypatch):
    monkeypatch.setattr(items, "MOST_ITEMS", 100)
    operation = ask("replay", ids=letters(903))
    until_asked()
    parts = items.ranges(pipeline_settings, "replay", operation.pk)
    assert [part.items for part in parts] == [100] * 9 + [3]


def test_a_process_that_has_all_handlers_says_nothing_of_them(letters, pipeline):
    ask("replay", ids=letters(2, payload=GOOD))
    until_asked()
    pipeline()
    assert PipelineRun.objects.get().message == "2 of 2 events (100 %), 2 enriched, 0 dead letters"


def test_who_asks_for_it_needs_no_spark(letters, monkeypatch):
    """The console's image has none: the worker that starts runs has."""
    monkeypatch.setitem(sys.modules, "pyspark", None)
    assert ask("replay", ids=letters(1)).kind == "replay"


def test_no_other_operation_is_worked_on(letters, pipeline_settings):
    operation = ask("retry", ids=letters(1))
    with pytest.raises(BadRequest, match="there is no replay"):
        job.replay(pipeline_settings, operation.pk)


def test_the_suspects_of_a_range_run_in_one_process(letters, pipeline, monkeypatch):
    """To start it takes longer than most handlers, and little is claimed at once."""
    begun, apart = [], worker.apart
    monkeypatch.setattr(worker, "apart", lambda work: begun.append(work) or apart(work))
    monkeypatch.setattr(worker, "_task_attempt", lambda: 1)
    monkeypatch.setattr(worker, "FIRST", 5)
    letters(12, payload=GOOD)
    operation = ask("replay", filter={}, expected=12)
    until_asked()
    pipeline()
    work()
    assert counts(operation) == ("completed", 12, 12, 0, 0)
    assert len(begun) == 1


def test_it_is_a_kind_that_people_may_ask_for():
    assert "replay" in [kind.name for kind in kinds.asked_for()]


def until_asked() -> None:
    """Be the operation's worker until it has asked for a run, and until it may look again."""
    deadline = time.monotonic() + 20
    while not PipelineRun.objects.filter(status="asked").exists():
        run.take_up(0.5)
        assert time.monotonic() < deadline, list(Operation.objects.values_list("note", flat=True))
    time.sleep(SOON)


def database_now():
    return value("SELECT now()")


def _after(monkeypatch, times: int, act) -> None:
    """Do it once so many parts of a claim are settled."""
    settle, left = WorkerClaims.settle, [times]

    def counted(self, claims):
        settled = settle(self, claims)
        left[0] -= 1
        if left[0] == 0:
            act()
        return settled

    monkeypatch.setattr(WorkerClaims, "settle", counted)
