"""The hand-over of a shift: page and command say the same, each to whom may see it."""

import html
import io
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.utils import timezone

from dlqconsole.engine.models import DeadLetter, FailureGroup, Queue
from dlqconsole.operations.models import Operation
from dlqconsole.people.models import Scope
from dlqconsole.retries.policies import PolicyScope, keeping
from tests.moving import bring_to

pytestmark = pytest.mark.django_db
WHO = {"actor": "user:100000001", "reason": "deployment"}


@pytest.fixture
def shift(letter, operator) -> int:
    """A group that burns, claimed and with a note; a paused schedule, a paused queue, an operation."""
    letter()
    group_id = DeadLetter.objects.get().group_id
    FailureGroup.objects.update(note="do not revive before 06:00", owner="Payments")
    operator.post(f"/groups/{group_id}/", {"verb": "claim", "version": 1, "until": "2h"})
    keeping.pause(PolicyScope("order.created"), until=None, **WHO)
    Queue.objects.create(name="mails", paused=True)
    return group_id


def said(*arguments: str) -> str:
    out = io.StringIO()
    call_command("handover", *arguments, stdout=out)
    return out.getvalue()


EXPECTED = (
    "1 in 24 h, 1 wait, owned by Payments",
    "operator works on ",
    "do not revive before 06:00",
    "The schedule of order.created is paused",
    "because deployment",
    "The queue mails is paused",
    "No operation since then",
)


def test_the_page_says_what_the_next_person_has_to_know(shift, viewer):
    page = html.unescape(viewer.get("/handover/?since=12h").content.decode())
    for words in EXPECTED:
        assert words in page
    assert f'href="/groups/{shift}/"' in page


def test_the_command_prints_the_same(shift):
    for words in EXPECTED:
        assert words in said("--since", "8h")
    assert '"section": "Burning now"' in said("--json")


def test_who_is_limited_reads_of_their_part_alone(shift, letter, viewer):
    letter(event_type="bill.sent")
    Scope.objects.create(user=User.objects.get(username="viewer"), queue="*", event_type="bill.*")
    page = viewer.get("/handover/").content.decode()
    assert "1 in 24 h" in page
    for words in ("Payments", "operator works on", "06:00", "deployment", "mails"):
        assert words not in page


def test_what_waits_no_more_burns_no_more(letter, viewer):
    letter()
    bring_to("SUCCEEDED")
    assert "Nothing that failed in the last day still waits." in said()
    letter(status="EXHAUSTED")
    assert "2 in 24 h, 1 wait" in said()


def test_an_operation_says_what_became_of_its_messages(letter, operator):
    ids = [letter() for _ in range(4)]
    revived = Operation.objects.create(
        request_key=uuid4(), kind="revive", actor="user:ana", reason="deploy 42", scope="rows", ids=ids,
        cutoff_id=max(ids), frozen_to_id=max(ids), expected=5, selected=5, done=4, skipped=1,
        status="completed", finished_at=timezone.now(),
    )  # fmt: skip
    bring_to("REVIVED", operation_id=revived.pk)
    DeadLetter.objects.filter(pk__in=ids[:2]).update(status="SUCCEEDED")
    DeadLetter.objects.filter(pk=ids[2]).update(status="PENDING")
    figures = "2 succeeded, 1 failed again, 1 under way, 1 skipped"
    assert f"because deploy 42: {figures}" in said()
    for page in ("/operations/", "/", "/handover/"):
        assert figures in operator.get(page).content.decode()
    DeadLetter.objects.filter(pk=ids[3]).update(status="SUCCEEDED")
    assert "because deploy 42: 3 succeeded, 1 failed again, 1 skipped" in said()


def test_a_quiet_shift_says_so(viewer):
    page = viewer.get("/handover/").content.decode()
    for words in ("Nothing that failed", "Nobody works", "No breaker, schedule or queue is held"):
        assert words in page
