"""manage.py retry_due: one run by hand, in words."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from dlqconsole.engine import known_handlers
from dlqconsole.engine.database.locks import HeldLock
from dlqconsole.engine.models import DeadLetter, PacedGroup
from dlqconsole.people.models import Scope
from dlqconsole.retries.models import RetryRun
from dlqconsole.retries.run import LOCK
from tests.accounts import person, token_of
from tests.operations.conftest import statuses

pytestmark = pytest.mark.django_db(transaction=True)


def _said() -> str:
    out = StringIO()
    call_command("retry_due", stdout=out)
    return out.getvalue()


def test_it_says_what_it_did(letters):
    letters(2)
    letters(1, payload='{"do": "transient"}')
    assert "3 claimed, 2 succeeded, 1 failed again, 0 revived, 0 exhausted, 0 lost" in _said()
    assert RetryRun.objects.get().trigger == "by hand"


def test_it_runs_whether_or_not_it_is_due_and_though_the_schedule_is_off(letters, settings):
    settings.DLQ_RETRY_ENABLED = False
    _said()
    letters(1)
    _said()
    assert statuses() == {"SUCCEEDED": 1}


def test_a_held_lock_is_said_with_its_holder_and_is_no_error(letters):
    with HeldLock(LOCK, at_most=60):
        said = _said()
    assert "dlq-retry is held by" in said
    assert "UTC" in said


@pytest.mark.parametrize("is_there_a_worker", [True, False])
def test_what_is_slowed_is_left_to_the_workers_of_the_schedule(letters, settings, is_there_a_worker):
    """Else it would go on without a word for as long as a run may take, some minutes."""
    settings.DLQ_RETRY_TIME_BUDGET = 2
    letters(3)
    letters(2, error_reason="Hopeless: no")
    hopeless = DeadLetter.objects.filter(error_reason="Hopeless: no")
    PacedGroup.objects.create(
        event_type="order.created", group_id=hopeless[0].group_id, rate=1 / 3_600, tokens=0, floor=1,
        ceiling=500, share=1, why="100 % of 50 failed again", slowed_at="2026-11-22T17:03:00Z",
    )  # fmt: skip
    if is_there_a_worker:
        known_handlers.ProcessHeartbeat(known_handlers.WORKER).beat()
    said = _said()
    assert "3 claimed, 3 succeeded" in said
    assert statuses() == {"SUCCEEDED": 3, "PENDING": 2}
    left = "It left what its pace slows down to the workers of the schedule"
    assert (left if is_there_a_worker else "used its 2 s") in said
    assert RetryRun.objects.get().more_due


def test_a_limited_person_runs_not_everything_that_is_due(letters, settings):
    letters(1)
    olga = person("olga")
    Scope.objects.create(user_id=olga.removeprefix("user:"), queue="orders")
    settings.DLQ_TOKEN = token_of(olga)
    with pytest.raises(CommandError, match=r"everything that is due, and your scope is limited"):
        _said()
    assert statuses() == {"PENDING": 1}


def test_a_wrong_handlers_module_is_one_line(settings):
    settings.DLQ_HANDLERS = "no.such.module"
    with pytest.raises(CommandError, match=r"no\.such\.module"):
        _said()
