"""Owners by rules: the first that matches counts, and a person's own word comes before all of them."""

import pytest

from dlqconsole.core.errors import InvalidRule
from dlqconsole.engine.counts import groups as group_figures
from dlqconsole.engine.counts import rollups
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.models import AuditEntry, DeadLetter, FailureGroup
from dlqconsole.triage.owner_rules import OWNER_RULES

pytestmark = pytest.mark.django_db
WHO = {"actor": "user:ana", "reason": "as agreed"}
TRACE = """Traceback (most recent call last):
  File "/app/billing.py", line 7, in charge
    raise Refused("no")
"""


def rule(owner: str, **conditions: object):
    return OWNER_RULES.add({"owner": owner, "enabled": True, **conditions}, **WHO)


def owner(letter_id: int) -> str:
    return group_figures.group(DeadLetter.objects.get(pk=letter_id).group_id)["owner"]


def owned(name: str) -> list[int]:
    return list(DeadLetterFilter(owner=name).queryset().values_list("pk", flat=True))


def test_a_type_a_queue_or_a_frame_says_whose_it_is(letter):
    typed = letter(event_type="bill.sent")
    queued = letter(event_type="mail.sent", queue="mails.eu")
    framed = letter(event_type="order.created", error_stacktrace=TRACE)
    rollups.fold()
    rule("Billing", event_type="bill.*")
    rule("Mail", queue="mails.*")
    rule("Payments", frame="billing.py charge")
    assert [owner(each) for each in (typed, queued, framed)] == ["Billing", "Mail", "Payments"]
    assert (owned("Mail"), owned("Payments"), owned("nobody")) == ([queued], [framed], [])
    assert group_figures.owners() == ["Billing", "Mail", "Payments"]
    assert len(group_figures.list_groups(["open"], "Mail")) == 1


def test_all_conditions_of_a_rule_must_hold(letter):
    one = letter(event_type="bill.sent")
    rule("Both", event_type="bill.*", frame="billing.py *")
    assert owner(one) == ""


def test_the_first_rule_that_matches_counts_and_one_that_is_off_is_not_asked(letter):
    one = letter(event_type="bill.sent")
    first, second = rule("First", event_type="*"), rule("Second", event_type="bill.*")
    assert owner(one) == "First"
    OWNER_RULES.move(second.pk, 1, up=True, **WHO)
    assert owner(one) == "Second"
    OWNER_RULES.switch(second.pk, 1, False, **WHO)
    assert owner(one) == "First"
    OWNER_RULES.delete(first.pk, 1, **WHO)
    assert owner(one) == ""
    actions = AuditEntry.objects.filter(target__startswith="owner_rule:").values_list("action", flat=True)
    assert [*actions.order_by("id")] == ["create", "create", "move", "disable", "delete"]


def test_what_a_person_wrote_comes_before_every_rule(letter):
    one = letter()
    rule("Everybody", event_type="*")
    FailureGroup.objects.update(owner="ana")
    assert (owner(one), owned("ana"), owned("Everybody")) == ("ana", [one], [])


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"owner": "x"}, "Say which groups"),
        ({"event_type": "a"}, "Say whose"),
        ({"owner": "x" * 101}, "limit is 100"),
    ],
)
def test_a_rule_that_says_nothing_is_refused_in_a_sentence(given, why):
    with pytest.raises(InvalidRule, match=why):
        OWNER_RULES.add({"enabled": True, **given}, **WHO)


def test_of_two_who_change_a_rule_the_second_is_told(letter):
    made = rule("First", event_type="*")
    OWNER_RULES.change(made.pk, 1, {"owner": "Mine", "event_type": "*", "enabled": True}, **WHO)
    with pytest.raises(InvalidRule, match="was changed or deleted meanwhile"):
        OWNER_RULES.change(made.pk, 1, {"owner": "Theirs", "event_type": "*", "enabled": True}, **WHO)
