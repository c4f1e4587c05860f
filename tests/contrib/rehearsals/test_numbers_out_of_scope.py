"""A rehearsal out of scope, named by its number, answers like one that never existed."""

from uuid import uuid4

import pytest
from django.contrib.auth.models import User

from dlqconsole.contrib.rehearsals.models import Prediction
from dlqconsole.engine.models import DeadLetter
from dlqconsole.operations.models import Operation
from tests.accounts import token_of
from tests.security.scoped_world import done
from tests.security.test_numbers_out_of_scope import NEVER, client, command, said  # noqa: F401
from tests.security.test_numbers_out_of_scope import hidden as hidden_operations  # noqa: F401 - a fixture
from tests.with_sample_handlers import sample_handlers  # noqa: F401 - a fixture

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_worker")]


@pytest.fixture
def hidden(sample_handlers, hidden_operations) -> dict[str, int]:  # noqa: F811
    """A rehearsal among them."""
    far = list(DeadLetter.objects.filter(event_type="order.created").values_list("pk", flat=True))
    number = done("rehearse", "of all", far).pk
    assert Prediction.objects.filter(operation_id=number, would="succeed").count() == 3
    return hidden_operations | {"rehearse": number}


@pytest.mark.parametrize("kind", ["revive", "retry"])
def test_a_rehearsal_is_told_from_nothing_by_no_command(client, hidden, settings, kind):  # noqa: F811
    settings.DLQ_TOKEN = token_of(f"user:{User.objects.get(username='limited operator').pk}")
    for number in (NEVER, *hidden.values()):
        asked = command(kind, "--because", "x", "--rehearsal", str(number))
        assert asked == f"1 There is no operation {number}."
    assert Operation.objects.count() == len(hidden)


@pytest.mark.parametrize("kind", ["revive", "retry"])
@pytest.mark.parametrize("address", ["/operations/", "/dead-letters/operations/"])
@pytest.mark.parametrize("sent", [{}, {"request_key": "", "reason": "x", "expected": 2}])
def test_a_rehearsal_is_told_from_nothing_by_no_page(client, hidden, kind, address, sent):  # noqa: F811
    form = {"kind": kind, "scope": "all", "filter": "type=billing.paid"} | sent
    form |= {"request_key": uuid4()} if sent else {}
    never = said(client.post(address, form | {"rehearsal": NEVER}), NEVER)
    for number in hidden.values():
        assert said(client.post(address, form | {"rehearsal": number}), number) == never
    assert not sent or "There is no operation N." in never
    assert Operation.objects.count() == len(hidden)
