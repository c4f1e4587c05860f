"""What features keep of successes is in the transaction that records them, or not at all."""

import pytest
from django.db import DatabaseError

from dlqconsole.core import messages, successes
from dlqconsole.core.handling import HandlerResult, Identity
from dlqconsole.core.named_sql import fetch_column
from dlqconsole.engine.models import EnrichedEvent
from dlqconsole.processing.outcomes import Succeeded
from tests.engine.conftest import send  # noqa: F401 - a fixture
from tests.keeper import keeper, kept

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def keep_by(monkeypatch):
    """keep_by(*keepers) asks these, and no feature."""
    return lambda *keepers: monkeypatch.setattr(successes, "_keepers", list(keepers))


def wrong(_some):
    return [("SELECT 1 / %(zero)s::int", {"zero": 0})]


def reads(_some):
    assert fetch_column("SELECT 7", {}) == [7]
    return []


def complete(send):  # noqa: F811
    send(order_id=7)
    [claim] = messages.claim("order.created", 1, "me", 60)
    handled = HandlerResult(Identity("order.created", "shop", "7"), Succeeded(None, "null"))
    return messages.complete_handled([(claim, handled)])


def test_each_keeper_is_asked(send, keep_by):  # noqa: F811
    keep_by(reads, keeper, keeper)
    assert len(complete(send)) == 1
    assert kept() == ['order.created {"order_id": 7}'] * 2


def test_what_cannot_be_kept_is_not_recorded_without_it(send, keep_by):  # noqa: F811
    keep_by(keeper, wrong)
    with pytest.raises(DatabaseError):
        complete(send)
    assert not kept()
    assert not EnrichedEvent.objects.exists()
