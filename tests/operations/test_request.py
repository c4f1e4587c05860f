"""Asking: once, with a reason, whatever the browser and the broker do."""

from uuid import uuid4

import pytest
from django.db import transaction

from dlqconsole import celery
from dlqconsole.engine.access_scope import EVERYTHING, asking_as
from dlqconsole.engine.models import AuditEntry
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.operations.models import Operation
from dlqconsole.operations.requests import service, workers
from tests.accounts import ALICE
from tests.brokers import an_app_whose_broker_is_away
from tests.operations.conftest import ask, counts, messages, work
from tests.threads import at_once

pytestmark = pytest.mark.django_db(transaction=True)


def test_clicking_twice_makes_one_operation(letters):
    letters(3)
    key = uuid4()
    assert ask("revive", filter={}, key=key).pk == ask("revive", filter={}, key=key).pk
    work()
    assert messages() == (3, 3)
    assert AuditEntry.objects.filter(action="request revive").count() == 1


def test_twenty_clicks_at_once_make_one_operation(letters, wakeups):
    letters(5)
    key = uuid4()

    def click() -> int:
        with asking_as(EVERYTHING):
            return ask("revive", filter={}, key=key).pk

    made = set(at_once([click] * 20))
    assert len(made) == Operation.objects.count() == 1
    assert wakeups == list(made)
    work()
    assert messages() == (5, 5)


def test_a_form_used_by_somebody_else_is_refused(letters):
    (letter_id,) = letters(1)
    key = uuid4()
    ask("revive", ids=[letter_id], key=key)
    with pytest.raises(OperationRefused, match="already used for operation"):
        ask("discard", ids=[letter_id], key=key)
    with pytest.raises(OperationRefused, match=f"by {ALICE}"):
        ask("revive", ids=[letter_id], key=key, actor="bob")


@pytest.mark.parametrize("reason", ["", "  \n ", "\x00"])
def test_without_a_reason_nothing_is_done(reason):
    with pytest.raises(OperationRefused, match="Say why"):
        ask("revive", ids=[1], reason=reason)


def test_a_reason_too_long_is_refused_and_a_nul_is_taken_out():
    with pytest.raises(OperationRefused, match=r"2,001 characters"):
        ask("revive", ids=[1], reason="x" * 2001)
    assert ask("revive", ids=[1], reason="be\x00cause").reason == "because"


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"ids": []}, "Tick at least one"),
        ({"ids": range(1, 10_002)}, "At most 10,000"),
        ({"ids": [0]}, "lies between"),
        ({"ids": [2**63]}, "lies between"),
    ],
)
def test_a_scope_that_makes_no_sense_is_refused(given, sentence):
    with pytest.raises(OperationRefused, match=sentence):
        ask("revive", **given)


def test_an_unknown_kind_is_refused():
    with pytest.raises(OperationRefused, match="one of retry, replay, revive, discard, restore"):
        ask("erase", ids=[1])


def test_nothing_is_asked_of_a_worker_before_the_commit(letters, wakeups):
    letters(1)
    with transaction.atomic():
        ask("revive", filter={})
        assert wakeups == []
        transaction.set_rollback(True)
    assert wakeups == []
    assert Operation.objects.count() == 0


def test_with_the_broker_down_the_click_succeeds_and_the_tick_does_the_work(letters, monkeypatch, caplog):
    letters(3)
    monkeypatch.setattr(service, "wake", workers.wake)
    monkeypatch.setattr(celery, "app", an_app_whose_broker_is_away())
    operation = ask("revive", filter={})
    assert "the broker is away" in caplog.text
    work()
    assert counts(operation) == ("completed", 3, 3, 0, 0)


def test_items_that_ended_as_no_item_ends_are_refused(letters):
    operation = ask("discard", ids=letters(1))
    with pytest.raises(OperationRefused, match="An item is one of"):
        ask("restore", source=(operation.pk, "lost"))
    with pytest.raises(OperationRefused, match="There is no operation 999"):
        ask("restore", source=(999, "done"))
