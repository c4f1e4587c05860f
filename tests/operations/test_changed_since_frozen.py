"""What was changed after it was frozen is not what somebody asked for, and approved: it is skipped."""

import json

import pytest
from django.db.models import Q

from dlqconsole.engine.dead_letters import editing
from dlqconsole.engine.models import DeadLetter, Message
from dlqconsole.operations import kinds
from dlqconsole.operations.items import DEAD_LETTERS
from dlqconsole.operations.models import Operation, OperationItem
from dlqconsole.operations.pages.retrying import RetryPages
from dlqconsole.operations.requests import controls
from dlqconsole.operations.requests.approval_preview import approval_preview
from dlqconsole.operations.sql import sql
from dlqconsole.operations.work import run
from tests.accounts import person
from tests.of_features import all_of
from tests.operations.conftest import ask, counts, undo, work
from tests.plain_sql import execute

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("sample_handlers")]
RECIPE = json.dumps([{"op": "add", "path": "/more", "value": 1}])
OPTIONS = {"edit": {"recipe": RECIPE}, "reclassify": {"to_category": "BUSINESS"}}


@pytest.fixture
def ann():
    return person("ann")


def edit(letter_id, actor):
    text, version = '{"edited": true}', editing.current(letter_id).version
    editing.edit(letter_id, version=version, payload_text=text, headers=None, actor=actor, reason="a test")


def freeze(kind, **given):
    """Asked for and frozen; nothing is done with it yet."""
    operation = ask(kind, parameters=OPTIONS.get(kind), **given)
    Operation.objects.filter(pk=operation.pk).update(alone_up_to=2**31 - 1)
    run.run(operation.pk, 0.0)
    operation.refresh_from_db()
    assert (operation.status, operation.remaining) == ("running", operation.selected)
    return operation


def work_on_others(operation):
    """Be the worker of everything but this one."""
    Operation.objects.filter(pk=operation.pk).update(status="paused")
    work()
    Operation.objects.filter(pk=operation.pk).update(status="running")


def why(operation, letter_id):
    return OperationItem.objects.get(operation=operation, dead_letter_id=letter_id).reason


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        ("revive", "EXHAUSTED"), ("discard", "PENDING"), ("restore", "DISCARDED"), ("edit", "PENDING"),
        ("reclassify", "PENDING"), ("purge", "DISCARDED"), ("retry", "PENDING"),
    ],
)  # fmt: skip
def test_what_was_edited_since_is_skipped_and_says_by_whom(letters, ann, kind, status):
    same, edited, by_sql, gone = letters(4, payload='{"a": 1}', status=status)
    operation = freeze(kind, ids=[same, edited, by_sql, gone])
    if status != "DISCARDED":
        edit(edited, ann)
    else:  # nobody edits what is closed, but by SQL
        execute("UPDATE dlq_events SET payload = '[1]' WHERE id = %s", edited)
    execute("UPDATE dlq_events SET payload = '{\"b\": 2}' WHERE id = %s", by_sql)
    execute("DELETE FROM dlq_events WHERE id = %s", gone)
    before = DeadLetter.objects.filter(pk__in=[edited, by_sql]).order_by("id").values()
    untouched = list(before)
    work()
    assert counts(operation) == ("completed", 4, 1, 3, 0)
    if status != "DISCARDED":
        assert why(operation, edited) == f"changed since the list was made: edited by ann (user {ann[5:]})"
    assert why(operation, by_sql).startswith("changed since the list was made: edited by sql:")
    assert why(operation, gone) == "no longer exists"
    assert list(before.all()) == untouched


@pytest.mark.parametrize("kind", ["revive", "discard", "retry"])
def test_what_is_in_another_state_since_is_skipped_and_says_which(letters, kind):
    same, other = letters(2, payload='{"a": 1}')
    operation = freeze(kind, ids=[same, other])
    DeadLetter.objects.filter(pk=other).update(status="EXHAUSTED")
    work()
    assert counts(operation) == ("completed", 2, 1, 1, 0)
    assert why(operation, other) == "changed since the list was made: it was PENDING, it is EXHAUSTED"


def test_the_second_person_approved_what_it_was(letters, ann, settings):
    """Edited while it waited: neither who asked nor who approved has seen what it is now."""
    settings.DLQ_FOUR_EYES_ABOVE = 1
    first, second = letters(2, payload='{"a": 1}')
    bob = person("bob")
    operation = ask("revive", filter={}, expected=2, actor=ann)
    work()
    edit(second, ann)
    controls.approve(operation.pk, bob)
    work()
    assert counts(operation) == ("completed", 2, 1, 1, 0)
    assert Message.objects.get().dlq_event_id == first


def test_an_undo_leaves_what_was_changed_since_it_was_asked_for(letters, ann):
    same, changed = letters(2, payload='{"a": 1}')
    operation = ask("discard", ids=[same, changed])
    work()
    back = undo(operation)
    run.run(back.pk, 0.0)
    execute("UPDATE dlq_events SET payload = '{}' WHERE id = %s", changed)
    work()
    assert counts(back) == ("completed", 2, 1, 1, 0)
    assert why(back, changed).startswith("changed since the list was made: edited by sql:")


def test_a_retry_claims_only_the_payload_that_was_frozen(letters, ann, monkeypatch):
    """Between the page and the claim of one of it a handler may run for long."""
    first, second = letters(2, payload='{"a": 1}')
    operation = freeze("retry", ids=[first, second])
    real = RetryPages._retry

    def slow(self, letter_id, version):
        if letter_id == second and DeadLetter.objects.get(pk=second).payload_version == version:
            edit(second, ann)
        return real(self, letter_id, version)

    monkeypatch.setattr(RetryPages, "_retry", slow)
    work()
    assert counts(operation)[:4] == ("completed", 2, 1, 1)
    assert "edited by ann" in why(operation, second)


def test_each_kind_of_ours_over_dead_letters_looks():
    """A kind whose statement does not look would do what nobody approved."""
    over_letters = [kind for kind in kinds.every() if kind.items is DEAD_LETTERS]
    texts = [text for kind in over_letters for text in (kind.statement, kind.undo_statement) if text]
    # the undo of an edit looks for the very version that it left
    assert [text for text in texts if "{changed}" not in text] == [sql("editing.undo")]


@pytest.mark.parametrize("kind", ["purge", "restore", "reclassify", *all_of("KINDS")])
def test_who_approves_is_told_how_many_will_be_skipped(letters, ann, kind):
    """Whatever counts for the kind: what is told and what is skipped follow one rule."""
    ids = letters(7, payload='{"a": 1}', status="DISCARDED")
    operation = freeze(kind, ids=ids)
    ask("restore", ids=[ids[0], *ids[2:4]], actor=ann)
    ask("reclassify", ids=[ids[1]], actor=ann, parameters=OPTIONS["reclassify"])
    execute("UPDATE dlq_events SET retry_after = now() + interval '1 day' WHERE id = %s", ids[4])
    execute("DELETE FROM dlq_events WHERE id = %s", ids[5])
    work_on_others(operation)
    edit(ids[2], ann)
    ask("discard", ids=ids[2:4], actor=ann)
    work_on_others(operation)
    told = approval_preview(operation).changes
    work()
    # where the state counts, another operation may have been quicker
    said = (
        Q(reason__startswith="changed since") | Q(reason="no longer exists") | Q(reason__contains="PENDING")
    )
    assert OperationItem.objects.filter(said, operation=operation, status="skipped").count() == told
    assert told == {"purge": 6, "restore": 3}.get(kind, 2)


def test_a_purge_says_what_was_changed_and_by_whom(letters, ann):
    restored, classified, again, edited, by_sql = letters(5, payload='{"a": 1}', status="DISCARDED")
    operation = freeze("purge", ids=[restored, classified, again, edited, by_sql])
    first = ask("restore", ids=[restored, again, edited], actor=ann)
    other = ask("reclassify", ids=[classified], actor=ann, parameters=OPTIONS["reclassify"])
    execute("UPDATE dlq_events SET retry_after = now() + interval '1 day' WHERE id = %s", by_sql)
    work_on_others(operation)
    edit(edited, ann)
    last = ask("discard", ids=[again, edited], actor=ann)
    work_on_others(operation)
    work()
    name = f"ann (user {ann[5:]})"
    assert counts(operation) == ("completed", 5, 0, 5, 0)
    items = OperationItem.objects.filter(operation=operation).order_by("dead_letter_id")
    assert list(items.values_list("reason", flat=True)) == [
        "changed since the list was made: it was DISCARDED, it is PENDING:"
        f" restored by {name} (operation {first.pk})",
        f"changed since it was asked for: re-classified by {name} (operation {other.pk})",
        f"changed since it was asked for: discarded by {name} (operation {last.pk})",
        f"changed since the list was made: edited by {name}",
        "changed since it was asked for: something of it beside its payload and state",
    ]


def test_who_moved_it_before_the_purge_is_not_named(letters, ann):
    """Of what somebody else changed without a name nobody is accused."""
    [letter_id] = letters(1, payload='{"a": 1}')
    ask("discard", ids=[letter_id], actor=ann)
    work()
    operation = freeze("purge", ids=[letter_id])
    execute("UPDATE dlq_events SET retry_after = now() + interval '1 day' WHERE id = %s", letter_id)
    work()
    assert "ann" not in why(operation, letter_id)


def test_an_undo_tells_of_payloads_alone(letters, ann):
    """What it skips for another state it says so in its own words; it is not told as changed, either."""
    same, moved = letters(2, payload='{"a": 1}')
    operation = ask("discard", ids=[same, moved], actor=ann)
    work()
    back = undo(operation)
    run.run(back.pk, 0.0)
    back.refresh_from_db()
    execute("UPDATE dlq_events SET status = 'PENDING' WHERE id = %s", moved)
    assert approval_preview(back).changes == 0
