"""Figures that stand beside what a limited person sees: none of them speaks of what lies outside.

And downloads, which are read after their request: they need nobody who asks, and take nobody else's scope.
"""

import json
from datetime import timedelta
from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from dlqconsole.engine.access_scope import AccessScope, asking_as
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.models import Breaker, DeadLetter, PacedGroup
from dlqconsole.operations.models import Operation
from dlqconsole.operations.requests import pace
from dlqconsole.operations.work import run
from tests.accounts import token_of
from tests.asking import ask_for
from tests.page_words import words
from tests.security.scoped_world import MARK, letters, limited

pytestmark = [pytest.mark.django_db, pytest.mark.security, pytest.mark.usefixtures("no_worker")]

BILLING = [("*", "billing.*")]
ORDERS = [("orders", "*")]


def discarded(scopes: list[tuple[str, str]]) -> Operation:
    """An operation over all that somebody with these scopes saw."""
    with asking_as(AccessScope.of(scopes)):
        operation = ask_for("discard", actor="sql", filter=DeadLetterFilter())
    run.run(operation.pk)
    return operation


def test_what_came_later_is_counted_as_far_as_one_sees_it():
    letters(1, "billing.paid", None, "Late: of billing")
    operation = discarded(BILLING)
    letters(1, "billing.paid", None, "Late: of billing"), letters(3, "order.created", None, "Refused: no")
    page = words(limited("viewer", BILLING).get(f"/operations/{operation.pk}/"))
    assert "1 that came later matches too" in page


def test_a_breaker_names_only_event_types_that_one_sees(settings):
    types = ["billing.paid", f"{MARK}type"]
    probe = timezone.now() + timedelta(hours=1)
    Breaker.objects.create(
        key="dependency:bank",
        state="open",
        failures=20,
        reason="Away",
        next_probe_at=probe,
        event_types=types,
    )
    client = limited("viewer", BILLING)
    for page in ("/schedules/", "/"):
        said = client.get(page).content.decode()
        assert "bank" in said
        assert MARK not in said
    settings.DLQ_TOKEN = token_of(f"user:{User.objects.get(username='limited viewer').pk}")
    call_command("breakers", "--json", stdout=(out := StringIO()))
    assert json.loads(out.getvalue())["event_types"] == ["billing.paid"]


def slowed(letter_id: int, event_type: str, why: str) -> None:
    group_id = DeadLetter.objects.values_list("group_id", flat=True).get(pk=letter_id)
    PacedGroup.objects.create(
        event_type=event_type, group_id=group_id, floor=1, ceiling=500, rate=2 / 60, share=0.34, why=why,
        slowed_at="2026-11-22T17:03:00Z",
    )  # fmt: skip


def test_a_pace_is_told_of_groups_that_one_sees_as_a_whole(monkeypatch):
    """A group of an event type that is seen here and there may lie elsewhere, in part or as a whole."""
    monkeypatch.setattr(pace, "FREE", 0)
    mine = letters(1, "order.created", "orders", "Mine: no")[0]
    shared = letters(1, "order.created", "orders", "Shared: no")[0]
    letters(4, "order.created", f"{MARK}queue", "Shared: no")
    far = letters(1, "order.created", f"{MARK}queue", f"{MARK.capitalize()}: no")[0]
    slowed(mine, "order.created", "3 of 9 failed again")
    slowed(shared, "order.created", f"{MARK} of all failed again")
    slowed(far, "order.created", f"{MARK} of theirs failed again")
    client = limited("operator", ORDERS)
    confirm = {"kind": "revive", "scope": "all", "filter": ""}
    for answer in (client.get("/schedules/"), client.post("/dead-letters/operations/", confirm)):
        said = words(answer)
        assert "Mine" in said
        assert MARK not in said.lower()


@pytest.mark.nobody_asks
@pytest.mark.django_db(transaction=True)
def test_a_download_is_read_when_nobody_asks_any_more():
    """Two people's downloads, read by turns: each has what its person sees."""
    letters(2, "billing.paid", None, "Late: of billing"), letters(3, "order.created", "orders", "Refused: no")
    operation = discarded([*BILLING, *ORDERS])
    clients = {"billing": limited("operator", BILLING), "orders": _second(ORDERS)}
    address = f"/operations/{operation.pk}/items.csv"
    streams = {name: iter(client.get(address).streaming_content) for name, client in clients.items()}
    files = dict.fromkeys(streams, b"")
    while streams:
        for name, stream in list(streams.items()):
            part = next(stream, None)
            files[name] += part or b""
            if part is None:
                del streams[name]
    lines = {name: len(content.decode().splitlines()) - 1 for name, content in files.items()}
    assert lines == {"billing": 2, "orders": 3}


def _second(scopes: list[tuple[str, str]]) -> Client:
    User.objects.filter(username="limited operator").update(username="another operator")
    return limited("operator", scopes)
