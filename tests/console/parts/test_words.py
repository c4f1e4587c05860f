"""Timelines, next retries and next steps are sentences; no key of a stored detail is shown."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from dlqconsole.console.audit.words import sentence
from dlqconsole.console.overview.next_actions import next_actions
from dlqconsole.engine.known_handlers import WORK
from dlqconsole.engine.models import AuditEntry, DeadLetter, HandlerReport
from dlqconsole.operations.models import Operation
from dlqconsole.processing.quantities import duration_in_two
from dlqconsole.retries.why import Circumstances, answer
from dlqconsole.runs.models import PipelineRun
from tests.asking import ask_for
from tests.with_sample_handlers import sample_handlers  # noqa: F401 - a fixture

ENDED = {"selected": 575, "done": 570, "skipped": 5, "failed": 0}


@pytest.mark.parametrize(
    ("action", "detail", "said"),
    [
        ("request revive", {"scope": "filter", "filter": {"q": "x"}, "expected": 575},
         "asked for by cli:root, 575 expected"),
        ("revive", {"first": 2844, "last": 66997, "done": 575, "skipped": 0},
         "575 revived, 0 skipped (dead letters 2,844 to 66,997)"),
        ("retry", {"first": 7, "last": 9, "begun": 2, "skipped": 1, "failed": 0},
         "2 handed to their handlers, 1 skipped, 0 failed (dead letters 7 to 9)"),
        ("retry", {"first": 7, "last": 9, "pages": 1, "done": 1, "skipped": 1, "failed": 1},
         "1 succeeded, 1 skipped, 1 failed (dead letters 7 to 9)"),
        ("retry", {"first": 7, "last": 7, "failed": 1}, "1 failed (dead letter 7)"),
        ("revive", {"first": 1, "last": 90, "pages": 3, "done": 90, "skipped": 0},
         "90 revived, 0 skipped (dead letters 1 to 90, 3 pages)"),
        ("completed", ENDED | {"remaining": 0}, "completed: 570 done, 5 skipped, 0 failed"),
        ("cancelled", {"done": 3, "skipped": 0, "failed": 0, "remaining": 1000},
         "cancelled: 3 done, 0 skipped, 0 failed, 1,000 left as they were"),
        ("cancel", {"done": 3, "skipped": 0, "failed": 0, "remaining": 0},
         "cli:root asked to stop: 3 done, 0 skipped, 0 failed"),
        ("export", {"rows": 67050, "format": "jsonl", "completed": False},
         "67,050 rows exported as JSON Lines, cut off"),
        ("something new", {}, "something new by cli:root"),
    ],
)  # fmt: skip
def test_audit_entry_in_words(action, detail, said):
    assert sentence(AuditEntry(actor="cli:root", action=action, detail=detail)) == said


@pytest.mark.parametrize(
    ("action", "detail", "said"),
    [
        ("create", {}, "made with the defaults"),
        ("create", {"lease_seconds": 1200, "unlogged": True}, "made with lease seconds 1,200, unlogged yes"),
        ("change", {"changes": {"rate_limit": [None, 2.5], "unlogged": [True, False]}},
         "rate limit none → 2.5; unlogged yes → no"),
        ("pause", {}, "paused it"),
        ("resume", {}, "resumed it"),
        ("drop", {}, "dropped, it was empty"),
        ("attach", {"max_deliveries": 5}, "attached it"),
    ],
)  # fmt: skip
def test_audit_entry_of_a_queue_in_words(action, detail, said):
    entry = AuditEntry(actor="cli:root", action=action, detail=detail, target="queue:orders")
    assert sentence(entry) == said


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"error_category": "BUSINESS"}, "not by the schedule"),
        ({"error_category": "PERMANENT"}, "not by the schedule"),
        ({}, "due now"),
        ({"retry_count": 3, "max_retries": 3}, "none: all are used"),
        ({"status": "RETRYING"}, "running now"),
        ({"status": "DISCARDED"}, "none"),
    ],
)
def test_next_retry_is_never_a_moment_that_has_passed(letter, changes, said):
    row = DeadLetter.objects.get(pk=letter())
    for name, value in {"retry_after": timezone.now() - timedelta(minutes=18), **changes}.items():
        setattr(row, name, value)
    assert answer(row, Circumstances.look()).next == said


def test_next_retry_that_comes_is_its_moment(letter):
    later = timezone.now() + timedelta(minutes=5)
    assert answer(DeadLetter.objects.get(pk=letter(retry_after=later)), Circumstances.look()).next == later


def test_switched_off_schedule_retries_nothing(letter, settings):
    settings.DLQ_RETRY_ENABLED = False
    assert answer(DeadLetter.objects.get(pk=letter()), Circumstances.look()).next == "not by the schedule"


def test_page_says_it_as_well_and_calls_the_button_retry_now(operator, letter):
    text = operator.get(f"/dead-letters/{letter(error_category='BUSINESS')}/").content.decode()
    assert "<dd>not by the schedule</dd>" in text
    assert re.search(r"Retry now\s*</button>", text)


@pytest.mark.parametrize(("status", "shown"), [("PENDING", False), ("DISCARDED", True), ("SUCCEEDED", False)])
def test_restore_stands_only_where_something_was_discarded(operator, letter, status, shown):
    kinds = [
        action["kind"].name
        for action in operator.get(f"/dead-letters/{letter(status=status)}/").context["actions"]
    ]
    assert ("restore" in kinds) is shown


def test_history_of_a_dead_letter_names_the_operation_and_its_outcome(operator, letter):
    one = letter()
    operation = ask_for("discard", actor="user:ann", reason="a duplicate", expected=1, ids=[one])
    operation.operationitem_set.create(dead_letter_id=one, status="skipped", reason="is already DISCARDED")
    story = operator.get(f"/dead-letters/{one}/").context["story"].rows
    [entry] = [entry for entry in story if "operation" in entry]
    assert (entry["operation"].pk, entry["status"], entry["why"]) == (
        operation.pk,
        "skipped",
        "is already DISCARDED",
    )
    assert (entry["text"], entry["reason"]) == ("asked for by user:ann", "a duplicate")


NONE = dict.fromkeys(
    ("PENDING", "RETRYING", "SUCCEEDED", "EXHAUSTED", "REVIVED", "DISCARDED", "QUARANTINED"), 0
)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "0 s"), (59.6, "1 min"), (107, "1 min 47 s"), (7140, "1 h 59 min"), (86_400 * 3 + 5, "3 d")],
)
def test_a_length_is_said_in_its_two_largest_units(seconds, words):
    assert duration_in_two(seconds) == words


def texts(*given) -> list[str]:
    return [action["text"] for action in next_actions(*given)]


def test_nothing_to_do_is_nothing(db):
    assert texts(NONE, [], [], []) == []


def test_what_is_left_to_people_comes_with_its_count():
    found = next_actions(NONE | {"EXHAUSTED": 1200, "QUARANTINED": 3}, [], [], [])
    assert [(action["tone"], action["url"]) for action in found] == [
        ("danger", "/dead-letters/?status=QUARANTINED"),
        ("warning", "/dead-letters/?status=EXHAUSTED"),
    ]
    assert "1,200 exhausted" in found[1]["text"]


def test_top_groups_that_no_schedule_heals_are_named_with_their_count():
    groups = [
        {"id": 1, "title": "WeatherMissing: none", "pending": 9, "error_category": "DEPENDENCY"},
        {"id": 2, "title": "PlaneUnknown: \u202eN1", "pending": 48054, "error_category": "BUSINESS"},
        {"id": 3, "title": "Cured", "pending": 0, "error_category": "BUSINESS"},
    ]
    (action,) = next_actions(NONE, groups, [], [])
    assert action["text"] == "Fix and revive, or discard, 48,054: PlaneUnknown: ⟦U+202E⟧N1"
    assert action["url"] == "/dead-letters/?group=2&status=PENDING"


def test_failed_run_is_named_until_a_later_one_succeeds():
    failed = {"id": 12, "kind": "ingest", "status": "failed", "message": "no such topic"}
    assert texts(NONE, [], [], [failed]) == ["Start the pipeline's ingest again, it failed: no such topic"]
    assert next_actions(NONE, [], [], [failed])[0]["url"] == "/runs/12/"
    assert texts(NONE, [], [], [{"kind": "ingest", "status": "completed", "message": ""}, failed]) == []


def test_operation_that_waits_says_for_what():
    waiting = Operation(pk=7, kind="revive", note="Waits for the queue raw, which is paused.")
    assert texts(NONE, [], [waiting, Operation(pk=8, kind="retry", note="")], []) == [
        "Look at operation 7 (revive), it waits: Waits for the queue raw, which is paused."
    ]


def test_silent_run_is_told_on_the_overview(viewer, db):
    PipelineRun.objects.create(kind="ingest", heartbeat_at=timezone.now() - timedelta(minutes=9))
    text = viewer.get("/").content.decode()
    assert "it went silent" in text
    assert "Silent" in text


def test_overview_without_anything_has_its_cards(viewer, db):
    HandlerReport.objects.create(worker="host:1:a", role="celery", queues=[WORK])
    text = viewer.get("/").content.decode()
    for sentence_ in (
        "Nothing has arrived yet",
        "Nothing needs you",
        "None in this time.",
        "It has not run yet",
    ):
        assert sentence_ in text
    assert "Nothing is burning" not in text


def test_overview_calls_it_quiet_once_something_was_here(viewer, letter):
    DeadLetter.objects.filter(pk=letter(status="SUCCEEDED")).update(
        created_at=timezone.now() - timedelta(days=3)
    )
    assert "Nothing has arrived yet" not in viewer.get("/").content.decode()


def test_overview_does_not_call_it_quiet_while_data_is_loading(viewer, letter):
    run = PipelineRun.objects.create(kind="ingest")
    text = viewer.get("/").content.decode()
    assert "Data is loading" in text
    assert "Nothing is burning" not in text
    letter()
    assert "Data is loading" in viewer.get("/").content.decode()
    DeadLetter.objects.all().delete()
    PipelineRun.objects.filter(pk=run.pk).update(status="completed")
    assert "Nothing is burning" in viewer.get("/").content.decode()


def test_hours_are_drawn_against_the_worst(viewer, letter):
    hour = timezone.now().replace(minute=0, second=0, microsecond=0)
    for created_at in (hour, hour, hour - timedelta(hours=5)):
        letter(created_at=created_at)
    hourly = viewer.get("/").context["chart"]
    assert (hourly["peak"], hourly["worst"]) == (2, hour)
    assert [bar["height"] for bar in hourly["bars"] if bar["count"]] == [50, 100]


def test_missing_row_is_called_by_its_name_and_a_wrong_address_is_not(viewer):
    assert "There is no dead letter 99." in viewer.get("/dead-letters/99/").content.decode()
    assert "There is no operation 99." in viewer.get("/operations/99/").content.decode()
    assert "tried" not in viewer.get("/nope/").content.decode()
    assert "cut short" in viewer.get("/nope/").content.decode()


def test_viewer_is_offered_no_export(viewer, operator, letter):
    letter()
    assert "/dead-letters/export" in operator.get("/dead-letters/").content.decode()
    assert "/dead-letters/export" not in viewer.get("/dead-letters/").content.decode()


def test_session_that_ended_leads_back_to_the_same_place(client, db):
    headers = {
        "HX-Request": "true",
        "HX-Current-URL": "http://testserver/dead-letters/?type=a&status=PENDING",
    }
    answer = client.get("/dead-letters/", headers=headers)
    assert answer.status_code == 401
    assert answer["HX-Redirect"] == "/login/?next=%2Fdead-letters%2F%3Ftype%3Da%26status%3DPENDING"


@pytest.mark.parametrize(
    ("target", "action", "detail", "said"),
    [
        ("rule:7", "create", {"error_class": "Timeout*", "category": "TRANSIENT", "pattern": "",
         "overrides": False}, "made with error class Timeout*, category TRANSIENT, overrides no"),
        ("rule:7", "change", {"changes": {"category": ["", "PERMANENT"]}}, "category none → PERMANENT"),
        ("rule:7", "move", {"position": 3}, "moved to place 3"),
        ("rule:7", "disable", {"changes": {"enabled": [True, False]}}, "switched off"),
        ("group:42", "describe", {"changes": {"owner": ["", "ann"]}}, "owner none → ann"),
        ("group:42", "regress", {}, "it was resolved, and failed again"),
        ("group:42", "merge", {"into": 5}, "merged into group 5"),
        ("group:42", "merge", {"groups": [1, 2]}, "took in 2 other groups"),
        ("group:42", "split", {"out_of": 5}, "split out of group 5"),
        ("dead_letter:42", "edit", {"before": "a", "after": "b"}, "edited"),
    ],
)  # fmt: skip
def test_what_was_done_to_a_rule_a_group_or_a_letter_in_words(target, action, detail, said):
    assert sentence(AuditEntry(actor="ann", target=target, action=action, detail=detail)) == said
