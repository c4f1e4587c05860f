"""Numbers that a person with a scope names: one out of scope answers like one that never existed.

Numbers of operations and names of queues are guessed; no two answers to a guess may differ.
"""

import re
from io import StringIO
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection

from dlqconsole.engine.groups import merging
from dlqconsole.engine.models import DeadLetter, FailureGroup, GroupMerge, Queue
from tests.accounts import token_of
from tests.security.scoped_world import done, letters, limited

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_worker")]

NEVER = 987_654
SCOPES = [("*", "billing.*")]


@pytest.fixture
def hidden(db) -> dict[str, int]:
    """Operations out of scope, by their kind; two dead letters lie within it."""
    with connection.cursor() as cursor:  # no number of theirs stands on a page by chance
        cursor.execute("SELECT setval(pg_get_serial_sequence('operations', 'id'), 500000)")
    far = letters(3, "order.created", None, "Refused: no")
    letters(2, "billing.paid", None, "Late: of billing")
    return {kind: done(kind, "x", far).pk for kind in ("discard", "restore")}


@pytest.fixture
def client(hidden):
    return limited("operator", SCOPES)


def said(answer, named: object) -> str:
    """All that an answer says, but for what was typed and what is made anew each time."""
    page = re.sub(r"(?s)<svg.*?</svg>", "", answer.content.decode())
    page = re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}|\b\w{64}\b", "", page)
    return f"{answer.status_code} " + re.sub(rf"\b{named}\b", "N", page)


def command(kind: str, *options: str) -> str:
    out = StringIO()
    try:
        call_command("deadletters", kind, "--type", "billing.paid", *options, stdout=out, stderr=out)
    except CommandError as refusal:
        out.write(f"{refusal.returncode} {refusal}")
    return out.getvalue()


def test_whose_items_are_meant_is_told_from_nothing_by_no_page(client, hidden):
    for address in ("/dead-letters/operations/", "/dead-letters/recipes/"):
        form = {"kind": "revive", "scope": "items", "outcome": "done"}
        never = said(client.post(address, form | {"operation": NEVER}), NEVER)
        for number in hidden.values():
            assert said(client.post(address, form | {"operation": number}), number) == never


@pytest.mark.parametrize("verb", ["preview", "set", "pause", "resume", "delete"])
def test_a_group_is_told_from_nothing_by_no_command(db, settings, verb):
    far = letters(1, "order.created", None, "Refused: no")
    group = DeadLetter.objects.values_list("group_id", flat=True).get(pk=far[0])
    limited("admin", SCOPES)
    settings.DLQ_TOKEN = token_of(f"user:{User.objects.get(username='limited admin').pk}")
    more = {"preview": [], "set": ["--max-retries", "3"]}.get(verb, [])
    because = [] if verb == "preview" else ["--because", "x"]
    for number in (group, NEVER):
        with pytest.raises(CommandError, match=f"There is no policy for group {number} within your scope"):
            call_command("schedule", verb, "--group", str(number), *more, *because)


def test_what_was_merged_out_of_scope_is_not_split_from_another_page(db):
    """Nor does the answer tell that it was merged."""
    with connection.cursor() as cursor:  # no number of theirs stands on a page by chance
        cursor.execute("SELECT setval(pg_get_serial_sequence('failure_groups', 'id'), 500000)")
    client = limited("operator", SCOPES)
    one, other, ours = (
        DeadLetter.objects.values_list("group_id", flat=True).get(pk=letters(1, *what)[0])
        for what in (
            ("order.created", None, "Refused: no"),
            ("order.created", None, "Late: no"),
            ("billing.paid", None, "Lost: no"),
        )
    )
    merging.merge([one], other, actor="sql", reason="x")
    form = {"verb": "split", "version": FailureGroup.objects.get(pk=ours).version, "reason": "x"}
    answers = {
        said(client.post(f"/groups/{ours}/", form | {"fingerprint": number}), number)
        for number in (one, NEVER)
    }
    assert len(answers) == 1
    assert f"Fingerprint N was not merged into group {ours}." in answers.pop()
    assert GroupMerge.objects.get(pk=one).group_id == other


def test_a_queue_is_told_from_nothing_by_no_page(db):
    """Not whether it is there, is paused, or has a name that no new queue may have."""
    client = limited("operator", [("orders", "*")])
    letters(2, "order.created", "orders", "Refused: no")
    for name in ("aaaa-there", "zzzz there"):
        Queue.objects.create(name=name, paused=True)
    form = {"kind": "revive", "scope": "all", "filter": "", "request_key": uuid4(), "reason": "x"}
    for address in ("/operations/", "/dead-letters/operations/"):
        answers = {
            said(client.post(address, form | {"to_queue": name}), name)
            for name in ("aaaa-there", "aaaa-never", "zzzz there", "zzzz never")
        }
        assert len(answers) == 1
        assert "lies outside your scope" in answers.pop()
