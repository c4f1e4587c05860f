"""manage.py retry_due: one run by hand, in words."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from dlqconsole.engine.database.locks import HeldLock
from dlqconsole.people.models import Scope
from dlqconsole.retries.models import RetryRun
from dlqconsole.retries.run import LOCK
from tests.accounts import person, token_of
from tests.retries.conftest import statuses

pytestmark = pytest.mark.django_db(transaction=True)


def _said() -> str:
    out = StringIO()
    call_command("retry_due", stdout=out)
    return out.getvalue()


def test_it_says_what_it_did(letters):
    letters(2)
    letters(1, payload='{"do": "transient"}')
    assert "3 claimed, 2 succeeded, 1 failed again, 0 exhausted, 0 lost" in _said()
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
