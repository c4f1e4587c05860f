"""What was changed after it was frozen is not what somebody asked for, and approved: it is skipped."""

import json

import pytest

from dlqconsole.engine.dead_letters import editing
from dlqconsole.engine.models import DeadLetter, Message
from dlqconsole.engine.reach import EVERYTHING
from dlqconsole.operations import controls, kinds, run
from dlqconsole.operations.items import DEAD_LETTERS
from dlqconsole.operations.models import Operation, OperationItem
from dlqconsole.operations.retrying import RetryPages
from dlqconsole.operations.sql import sql
from tests.accounts import person
from tests.operations.conftest import ask, counts, execute, undo, work

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


def why(operation, letter_id):
    return OperationItem.objects.get(operation=operation, dead_letter_id=letter_id).reason


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        ("revive", "EXHAUSTED"), ("discard", "PENDING"), ("restore", "DISCARDED"), ("edit", "PENDING"),
        ("reclassify", "PENDING"), ("export", "PENDING"), ("purge", "DISCARDED"), ("retry", "PENDING"),
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
        assert why(operation, edited) == f"changed since it was frozen: edited by ann (user {ann[5:]})"
    assert why(operation, by_sql).startswith("changed since it was frozen: edited by sql:")
    assert why(operation, gone) == "no longer exists"
    assert list(before.all()) == untouched


@pytest.mark.parametrize("kind", ["revive", "discard", "retry"])
def test_what_is_in_another_state_since_is_skipped_and_says_which(letters, kind):
    same, other = letters(2, payload='{"a": 1}')
    operation = freeze(kind, ids=[same, other])
    DeadLetter.objects.filter(pk=other).update(status="EXHAUSTED")
    work()
    assert counts(operation) == ("completed", 2, 1, 1, 0)
    assert why(operation, other) == "changed since it was frozen: it was PENDING, it is EXHAUSTED"


def test_the_second_person_approved_what_it_was(letters, ann, settings):
    """Edited while it waited: neither who asked nor who approved has seen what it is now."""
    settings.DLQ_FOUR_EYES_ABOVE = 1
    first, second = letters(2, payload='{"a": 1}')
    bob = person("bob")
    operation = ask("revive", filter={}, expected=2, actor=ann)
    work()
    edit(second, ann)
    controls.approve(operation.pk, bob, EVERYTHING)
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
    assert why(back, changed).startswith("changed since it was frozen: edited by sql:")


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
    assert {kind.name for kind in over_letters if "{edited}" in (kind.statement or "")} <= {
        kind.name for kind in over_letters if not kind.minds_state
    }
    # the undo of an edit looks for the very version that it left
    assert [text for text in texts if "{changed}" not in text and "{edited}" not in text] == [
        sql("editing.undo")
    ]
