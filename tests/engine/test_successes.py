"""Features that listen to successes write in the same transaction, or not at all."""

import pytest
from django.db import DatabaseError

from dlqconsole.engine import messages, successes
from dlqconsole.engine.handling import HandlerResult, Identity
from dlqconsole.engine.models import EnrichedEvent
from dlqconsole.processing.outcomes import Succeeded
from tests.listener import Listener, heard

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def listens(monkeypatch):
    """listens(*listeners) has these hear of successes, and no feature."""
    return lambda *listeners: monkeypatch.setattr(successes, "listeners", lambda: listeners)


class Wrong:
    """Its statement fails."""

    def statements(self, event_types, success_at, read):
        return [("SELECT 1 / %(zero)s::int", {"zero": 0})]


class Reads:
    """It asks the database first."""

    def statements(self, event_types, success_at, read):
        assert read("SELECT 7") == [(7,)]
        return []


def complete(send):
    send(order_id=7)
    [claim] = messages.claim("order.created", 1, "me", 60)
    handled = HandlerResult(Identity("order.created", "shop", "7"), Succeeded(None, "null"))
    return messages.complete_handled([(claim, handled)])


def test_each_listener_hears_of_a_success(send, listens):
    listens(Reads(), Listener(), Listener())
    assert len(complete(send)) == 1
    assert heard() == ['order.created {"order_id": 7}'] * 2


def test_without_a_listener_nothing_is_asked(listens, django_assert_num_queries):
    listens()
    with django_assert_num_queries(0):
        successes.announce([successes.Success("a", "b", "c", None, b"", was_dead_letter=False)])


def test_what_a_listener_cannot_write_is_not_recorded_without_it(send, listens):
    listens(Listener(), Wrong())
    with pytest.raises(DatabaseError):
        complete(send)
    assert not heard()
    assert not EnrichedEvent.objects.exists()
