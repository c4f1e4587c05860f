"""A kind whose words cannot be made: it is not asked for, and what was asked for before is still shown."""

from uuid import uuid4

import pytest

from dlqconsole.core.lifecycle.states import DeadLetterStatus as S
from dlqconsole.operations import kinds
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.operations.kinds.base import Kind
from dlqconsole.operations.models import Operation
from dlqconsole.operations.options import RATE, Option
from dlqconsole.operations.sql import sql
from dlqconsole.processing.inputs.fields import Text
from tests.operations.conftest import ask, counts, work

pytestmark = pytest.mark.django_db(transaction=True)

TICKET = Text(name="for_ticket", label="For", help="t", is_required=False, limit=100)
SENTENCE = "Park cannot be asked for: its options could not be put into words (KeyError: 'ticket')."


class Park(Kind):
    name, label = "park", "Park"
    takes, leaves = (S.PENDING,), S.EXHAUSTED
    options = (RATE, Option(field=TICKET, words=lambda text: text))
    statement, undo_statement = sql("pages.move"), sql("undoing.move")

    def values(self, options):
        return {"target": str(S.EXHAUSTED)}


@pytest.fixture(autouse=True)
def park():
    yield kinds.register(Park())
    kinds.forget("park")


def no_words(text):
    return {}["ticket"]


@pytest.fixture
def broken(monkeypatch):
    option = Option(field=TICKET, words=no_words)
    monkeypatch.setattr(Park, "options", (RATE, option))


def test_it_is_refused_before_anything_is_stored(letters, broken):
    letters(1)
    with pytest.raises(OperationRefused) as caught:
        ask("park", filter={})
    assert str(caught.value) == SENTENCE
    assert not Operation.objects.exists()


def test_the_form_says_so(operator, letters, broken):
    letters(1)
    form = {"kind": "park", "scope": "all", "filter": "", "reason": "a test", "request_key": uuid4()}
    assert operator.post("/dead-letters/operations/", form).status_code == 200
    answer = operator.post("/operations/", form)
    assert (answer.status_code, answer.context["errors"]) == (422, [SENTENCE])
    assert not Operation.objects.exists()


def test_the_receipt_and_the_list_show_what_was_asked_for_before(operator, letters, request):
    letters(2)
    operation = ask("park", filter={})
    work()
    request.getfixturevalue("broken")
    assert counts(operation) == ("completed", 2, 2, 0, 0)
    receipt = operator.get(f"/operations/{operation.pk}/")
    assert receipt.status_code == 200
    assert receipt.context["chosen"] == ["its options could not be put into words"]
    assert "Park" in receipt.content.decode()
    assert "Park" in operator.get("/operations/").content.decode()
