"""What keeps coming back: skipped and said by a revive of many, revived alone or on demand."""

import pytest
from django.core.management import call_command
from django.urls import reverse

from dlqconsole.engine.counts.summaries import status_counts
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.models import DeadLetter
from dlqconsole.operations import kinds
from dlqconsole.operations.kinds import offers
from dlqconsole.operations.receipts import receipt
from dlqconsole.operations.requests.preview import preview
from dlqconsole.operations.requests.scope import Matching, Rows
from dlqconsole.operations.work import run
from tests.operations.conftest import ask, counts, statuses, work

pytestmark = pytest.mark.django_db(transaction=True)

EVERY = DeadLetterFilter()


@pytest.fixture
def coming(letters):
    """Three that came back five times, one of each open state, beside four others."""
    letters(3)
    letters(1, come_backs=4)
    return [
        letters(1, status=status, come_backs=5, first_failure_at="2026-11-01T03:00:00Z")[0]
        for status in ("PENDING", "EXHAUSTED", "QUARANTINED")
    ]


def on_button(kind="revive", filter=EVERY):
    return offers.acted_on(kinds.get(kind), status_counts(filter))[0]


def acted_on(scope, kind="revive", **options):
    """What the preview says; after checking that its parts add up."""
    found = preview(kind, scope, options)
    assert found.eligible + sum(row.count for row in found.ineligible) == found.total
    return found.eligible


def test_button_preview_and_outcome_are_one_number(coming):
    assert on_button() == acted_on(Matching(EVERY)) == 4
    operation = ask("revive", filter={})
    work()
    assert counts(operation) == ("completed", 7, 4, 3, 0)
    assert {(row.status, row.reason): row.count for row in receipt.outcomes(operation.pk)} == {
        ("done", ""): 4,
        (
            "skipped",
            "has failed again 5 times since 2026-11-01 03:00 UTC: look at it, edit it, or revive it alone",
        ): 3,
    }
    assert statuses() == {"REVIVED": 4, "PENDING": 1, "EXHAUSTED": 1, "QUARANTINED": 1}


def test_a_person_revives_one_alone(coming):
    one = coming[1]
    assert acted_on(Rows.of([one])) == 1
    operation = ask("revive", ids=[one])
    work()
    assert counts(operation) == ("completed", 1, 1, 0, 0)
    assert DeadLetter.objects.get(pk=one).status == "REVIVED"


def test_two_ticked_are_not_one(coming):
    assert acted_on(Rows.of(coming[:2])) == 0
    operation = ask("revive", ids=coming[:2])
    work()
    assert counts(operation) == ("completed", 2, 0, 2, 0)


def test_a_person_may_ask_for_them_too_and_the_receipt_says_so(coming):
    assert acted_on(Matching(EVERY), come_backs_too=True) == 7
    operation = ask("revive", filter={}, parameters={"come_backs_too": "on"})
    work()
    assert counts(operation) == ("completed", 7, 7, 0, 0)
    included = "includes items that failed repeatedly after earlier revivals"
    assert kinds.get("revive").words(operation.parameters) == [included]


def test_the_command_says_it_beforehand(coming, capsys):
    call_command("deadletters", "revive", "--all", "--because", "a test")
    assert "3 will be skipped: failed again 5 times or more" in capsys.readouterr().err
    call_command("deadletters", "revive", "--all", "--because", "a test", "--come-backs-too", "--full-speed")
    assert "skipped: failed again" not in capsys.readouterr().err


def test_a_canary_does_not_waste_its_probes_on_them(coming):
    canary = {"probes": 5, "watch_seconds": 1}
    operation = ask("revive", filter={}, parameters={"canary": canary})
    run.run(operation.pk)
    operation.refresh_from_db()
    assert operation.probes
    assert not set(operation.probes) & set(coming)


def test_a_person_may_retry_them_as_ever(coming, sample_handlers):
    assert on_button("retry") == acted_on(Matching(EVERY), "retry") == 7


def test_never_where_it_is_switched_off(coming, settings):
    settings.DLQ_COME_BACKS = 0
    assert on_button() == acted_on(Matching(EVERY)) == 7


def test_the_pages_say_it(coming, operator):
    one = coming[0]
    text = operator.get(reverse("dlq:dead_letter", args=[one])).content.decode()
    assert "It failed again 5 times since 2026-11-01 03:00 UTC: automatic retries stopped." in text
    assert "none: it failed repeatedly after revivals" in text
    found = operator.get("/dead-letters/?came_back=5").content.decode()
    assert found.count("data-keeps-coming") == 3
    assert "failed again at least" in found
    assert "Look at 3 that failed again 5 times or more" in operator.get("/").content.decode()
    schedules = operator.get("/schedules/").content.decode()
    assert "came_back=5&amp;status=PENDING" in schedules
    confirm = operator.post(
        reverse("dlq:operation_confirm"), {"kind": "revive", "scope": "all", "filter": ""}
    )
    said = confirm.content.decode()
    assert "3 — failed again 5 times or more: look at them, edit them, or revive one alone; an option" in said
    assert 'name="come_backs_too"' in said


def test_a_group_of_nothing_else_still_offers_it(coming):
    DeadLetter.objects.exclude(pk__in=coming).delete()
    [offer] = [each for each in offers.on_group(status_counts(EVERY)) if each.kind.name == "revive"]
    assert (offer.count, offer.for_people) == (0, 3)


@pytest.mark.parametrize("text", ["0", "-1", "five", "99999999999999"])
def test_what_is_no_number_of_times_is_told(operator, text):
    answer = operator.get(f"/dead-letters/?came_back={text}")
    assert answer.status_code == 400
    assert "came_back must be a number of times" in answer.content.decode()
