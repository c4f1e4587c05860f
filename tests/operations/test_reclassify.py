"""Re-classify as an operation: by the rules, into a category, and back."""

from uuid import uuid4

import pytest
from django.db.models.functions import Now

from dlqconsole.engine.groups import merging
from dlqconsole.engine.groups.rules import RULES, attempt
from dlqconsole.engine.models import DeadLetter, FailureGroup
from dlqconsole.operations.models import OperationItem
from dlqconsole.operations.requests import controls
from dlqconsole.operations.work import run
from tests.moving import bring_to
from tests.operations.conftest import ask, counts, work
from tests.plain_sql import rows
from tests.threads import meanwhile

pytestmark = pytest.mark.django_db(transaction=True)
WHO = {"actor": "user:admin", "reason": "a test"}
KEPT = (
    "error_category", "said_category", "category_rule_id", "fingerprint_rule_id", "fingerprint_id",
    "fingerprint_version", "group_id", "error_class", "reclassified_at",
)  # fmt: skip


def rule(**given):
    return RULES.add({"name": "r", "category": "BUSINESS", "overrides": "yes", **given}, **WHO)


def standing():
    return list(DeadLetter.objects.order_by("pk").values("pk", *KEPT))


def test_by_the_rules_what_differs_is_done_and_the_rest_is_skipped(letters):
    ids = letters(30)
    letters(5, event_type="other")
    rule(event_type="order.*")
    made = ask("reclassify", filter={})
    work()
    assert counts(made) == ("completed", 35, 30, 5, 0)
    found = DeadLetter.objects.filter(error_category="BUSINESS", said_category="TRANSIENT")
    assert sorted(found.values_list("pk", flat=True)) == ids
    reasons = OperationItem.objects.filter(operation=made, status="skipped").values_list("reason", flat=True)
    assert set(reasons) == {"is classified so already"}


def test_a_trial_counts_what_the_operation_then_does(letters):
    letters(40)
    letters(3, event_type="other")
    given = {"name": "t", "category": "BUSINESS", "overrides": "yes", "event_type": "order.*"}
    trial = attempt(given)
    RULES.add(given, **WHO)
    made = ask("reclassify", filter={})
    work()
    assert counts(made)[2] == trial.changed == 40


def test_into_a_category_whatever_the_rules_say_until_they_are_asked_again(letters):
    letters(4)
    made_rule = rule(event_type="*")
    ask("reclassify", filter={}, parameters={"to_category": "PERMANENT"})
    work()
    row = standing()[0]
    assert (row["error_category"], row["said_category"], row["category_rule_id"]) == (
        "PERMANENT",
        "TRANSIENT",
        None,
    )
    ask("reclassify", filter={})
    work()
    row = standing()[0]
    assert (row["error_category"], row["category_rule_id"]) == ("BUSINESS", made_rule.pk)


@pytest.mark.parametrize("parameters", [{}, {"to_category": "PERMANENT"}])
def test_an_undo_gives_back_exactly_what_was(letters, parameters):
    ids = letters(20)
    # two of them as version 1 of the fingerprint left them
    as_version_1 = {"group_id": 5, "fingerprint_id": 0, "fingerprint_version": 1, "reclassified_at": Now()}
    DeadLetter.objects.filter(pk__in=ids[:2]).update(**as_version_1)
    rule(event_type="order.*", fingerprint="all of {type}")
    before = standing()
    made = ask("reclassify", filter={}, parameters=parameters)
    work()
    assert all(old["group_id"] != new["group_id"] for old, new in zip(before, standing(), strict=True))
    undone = controls.undo(made.pk, "alice", "it was wrong", uuid4())
    work()
    assert counts(undone) == ("completed", 20, 20, 0, 0)
    assert standing() == before


def test_an_undo_leaves_alone_what_failed_anew_since(letters):
    ids = letters(3)
    rule(event_type="order.*")
    made = ask("reclassify", filter={})
    work()
    DeadLetter.objects.filter(pk=ids[1]).update(error_reason="Down: anew", error_category="DEPENDENCY")
    undone = controls.undo(made.pk, "alice", "it was wrong", uuid4())
    work()
    assert counts(undone) == ("completed", 3, 2, 1, 0)
    skipped = OperationItem.objects.get(operation=undone, status="skipped")
    assert skipped.dead_letter_id == ids[1]
    assert "classified anew since" in skipped.reason


def test_what_is_being_retried_is_waited_for(letters):
    ids = letters(3)
    bring_to("RETRYING", DeadLetter.objects.filter(pk=ids[0]))
    rule(event_type="order.*")
    made = ask("reclassify", filter={})
    run.take_up(0.5)
    made.refresh_from_db()
    assert (made.done, made.remaining) == (2, 1)
    DeadLetter.objects.filter(pk=ids[0]).update(status="PENDING")
    work()
    assert counts(made) == ("completed", 3, 3, 0, 0)


def test_merged_groups_follow_and_new_failures_too(letters):
    letters(10, error_stacktrace="")
    ids = letters(10, event_type="other")
    into, other = (DeadLetter.objects.get(pk=pk).group_id for pk in (ids[0] - 1, ids[0]))
    (followed,) = merging.merge([other], into, **WHO)
    made = ask("reclassify", filter={"group": str(followed)})
    with meanwhile([lambda: letters(5, event_type="other")]) as late:
        work()
    assert counts(made)[2] == 10
    assert set(DeadLetter.objects.values_list("group_id", flat=True)) == {into}
    assert len(late[0]) == 5


def test_it_moves_the_figures_of_the_groups_with_the_rows(letters):
    letters(6)
    old = FailureGroup.objects.get().pk
    rule(event_type="order.*")
    ask("reclassify", filter={})
    work()
    assert rows(
        "SELECT group_id, sum(letters) FROM dead_letter_totals GROUP BY 1 HAVING sum(letters) <> 0"
    ) == [(DeadLetter.objects.first().group_id, 6)]
    assert DeadLetter.objects.first().group_id != old


def test_a_revival_keeps_its_operation(letters):
    ids = letters(2)
    revival = ask("revive", ids=ids)
    work()
    rule(event_type="order.*")
    made = ask("reclassify", ids=ids)
    work()
    assert counts(made) == ("completed", 2, 2, 0, 0)
    assert set(DeadLetter.objects.values_list("operation_id", flat=True)) == {revival.pk}
    assert DeadLetter.objects.filter(error_category="BUSINESS").count() == 2
