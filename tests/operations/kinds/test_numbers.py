"""The number on a button is the number acted on: on every page, for every kind, in every state."""

from contextlib import contextmanager

import pytest
from django.db import transaction
from django.http import QueryDict

from dlqconsole.console.operations.operation_intent import read_scope
from dlqconsole.core.lifecycle.states import DeadLetterStatus
from dlqconsole.engine.models import AuditEntry, DeadLetter
from dlqconsole.operations import kinds
from dlqconsole.operations.kinds.base import TABS
from dlqconsole.operations.models import Operation
from dlqconsole.operations.requests.request import OperationRequest
from dlqconsole.operations.requests.service import request_operation
from dlqconsole.operations.work import run
from tests.accounts import ALICE
from tests.exported import read_here

pytestmark = pytest.mark.django_db

# what a kind needs so that it has something to do with each that it takes
OPTIONS = {
    "edit": {"recipe": '[{"op": "add", "path": "/checked", "value": true}]'},
    "reclassify": {"to_category": "BUSINESS"},
}
EACH = {status: place for place, status in enumerate(DeadLetterStatus, start=1)}
KINDS = [kind.name for kind in kinds.asked_for()]


@pytest.fixture(autouse=True)
def world(letter, settings, monkeypatch):
    """One dead letter PENDING, two RETRYING, and so on: no two states have the same number."""
    settings.DLQ_FOUR_EYES_ABOVE = 1_000
    read_here(monkeypatch)
    for status, number in EACH.items():
        for _each in range(number):
            letter(status=status)
    return DeadLetter.objects.first().group_id


@contextmanager
def taken_back():
    """What happens in it has not happened."""
    before = transaction.savepoint_create()
    yield
    transaction.savepoint_rollback(before)


def at_confirm(operator, kind, fields):
    """The number on the confirm page, which its button says."""
    page = operator.post("/dead-letters/operations/", {"kind": kind, **fields})
    eligible = page.context["preview"]["eligible"]
    text = " ".join(page.content.decode().split())
    assert not eligible or f"{kinds.get(kind).label} {eligible} </button>" in text
    return eligible


def done(kind, fields):
    """How many it was done to."""
    posted = QueryDict(mutable=True)
    for name, value in fields.items():
        posted.setlist(name, [str(each) for each in value] if isinstance(value, list) else [value])
    request = OperationRequest(kind, read_scope(posted), "a test", OPTIONS.get(kind, {}))
    with taken_back():
        operation = request_operation(request, actor=ALICE)
        # nobody is there to approve
        Operation.objects.filter(pk=operation.pk).update(alone_up_to=1_000)
        run.run(operation.pk)
        operation.refresh_from_db()
        acted_on = operation.done if kind != "replay" else handed_over(operation)
    return acted_on


def handed_over(operation):
    """How many a process of the pipeline is to try: it sees them once they are committed."""
    noted = AuditEntry.objects.filter(operation_id=operation.pk, action="replay")
    return sum(entry.detail["begun"] for entry in noted)


def agree(operator, kind, number, **fields):
    found = (at_confirm(operator, kind, fields), done(kind, fields))
    assert found == (number, number), f"{kind}: at confirm, and done"


@pytest.mark.parametrize("tab", TABS)
def test_over_all_that_a_list_shows(operator, tab):
    bulk = operator.get(f"/dead-letters/?status={tab}").context["bulk"]
    for kind, matching, _why_not in (*bulk["first"], *bulk["more"]):
        agree(operator, kind.name, matching.value, scope="all", filter=f"status={tab}" if tab else "")


def test_over_the_ticked(operator):
    """The browser counts the ticked rows whose state is among those that the button names."""
    page = operator.get("/dead-letters/?size=100")
    rows, bulk = page.context["rows"], page.context["bulk"]
    for kind, _matching, _why_not in (*bulk["first"], *bulk["more"]):
        assert f'data-bulk="{" ".join(kind.eligible())}"' in page.content.decode()
        able = sum(row["status"] in kind.eligible() for row in rows)
        agree(operator, kind.name, able, scope="page", ids=[row["id"] for row in rows])


def test_on_the_group_page(operator, world):
    page = operator.get(f"/groups/{world}/")
    offered = page.context["actions"]
    on_group = sorted((kind for kind in kinds.asked_for() if kind.on_group), key=lambda kind: kind.rank)
    assert len(on_group) > 4
    assert [each["kind"] for each in offered] == on_group
    for each in offered:
        assert f"{each['kind'].label} {each['count']}…" in page.content.decode()
        agree(operator, each["kind"].name, each["count"], scope="all", filter=each["filter"])


@pytest.mark.parametrize("status", DeadLetterStatus)
def test_on_a_dead_letters_page(operator, status):
    one = DeadLetter.objects.filter(status=status).latest("id").pk
    for action in operator.get(f"/dead-letters/{one}/").context["actions"]:
        agree(operator, action["kind"].name, int(action["enabled"]), scope="page", ids=[one])


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_over_everything(operator, kind):
    number = sum(EACH[status] for status in kinds.get(kind).takes)
    agree(operator, kind, number, scope="all", filter="")
