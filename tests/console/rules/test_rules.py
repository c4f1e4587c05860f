"""Failure rules as people see and change them: tried first, then kept, for administrators only."""

import pytest
from django.test import Client

from dlqconsole.console.rules.forms import affected_filter
from dlqconsole.engine.groups.rules import RULES
from dlqconsole.engine.models import AuditEntry, DeadLetter, FailureRule
from tests.accounts import actor_of
from tests.page_words import words

WHO = {"actor": "user:ann", "reason": "new"}
GIVEN = {"name": "billing", "error_class": "Refused", "category": "BUSINESS", "overrides": "yes"}


@pytest.fixture
def admin(admin_user_client) -> Client:
    return admin_user_client


def test_a_rule_is_tried_then_kept_then_offered_for_what_is_here(admin, letter):
    letter()
    letter(error_reason="Late: by 7 s")
    tried = words(admin.post("/rules/new", {**GIVEN, "do": "try"}))
    assert "Matched 1 Would change 1 Other category 1 Other group 1" in tried
    assert "Transient → Business" in tried
    assert not FailureRule.objects.exists()
    answer = admin.post("/rules/new", {**GIVEN, "do": "save", "reason": "they are refusals"}, follow=True)
    rule = FailureRule.objects.get()
    assert answer.redirect_chain == [(f"/rules/{rule.pk}/", 302)]
    assert 'name="filter" value="reason=Refused"' in answer.content.decode()
    entry = AuditEntry.objects.get(target=f"rule:{rule.pk}")
    assert (entry.actor, entry.action, entry.reason) == (actor_of("admin"), "create", "they are refusals")
    # what is here follows only when somebody says so
    assert not DeadLetter.objects.filter(error_category="BUSINESS").exists()
    asked = admin.post(
        "/dead-letters/operations/", {"kind": "reclassify", "scope": "all", "filter": "reason=Refused"}
    )
    assert "Re-classify" in words(asked)
    letter()
    assert DeadLetter.objects.filter(error_category="BUSINESS").count() == 1


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"pattern": "("}, "does not take this regular expression"),
        ({"name": ""}, "Give the rule a name"),
        ({"error_class": ""}, "would match every failure"),
        ({"category": ""}, "sets nothing"),
        ({"sqlstate": "123"}, "five capitals or digits"),
        ({"http_status": "many"}, "503, or 5xx"),
        ({"fingerprint": "{what}"}, "stand in braces"),
        ({"event_type": "x" * 256}, "the limit is 255"),
        ({"category": "'; DROP TABLE failure_rules"}, "The category is one of"),
    ],
)
@pytest.mark.parametrize("do", ["try", "save"])
def test_what_is_wrong_is_said_and_what_was_typed_is_kept(admin, do, wrong, sentence):
    answer = admin.post("/rules/new", {**GIVEN, **wrong, "do": do, "reason": "a test"})
    assert answer.status_code == 422
    assert sentence in words(answer)
    assert not FailureRule.objects.exists()


def test_keeping_without_a_reason_is_refused(admin):
    answer = admin.post("/rules/new", {**GIVEN, "do": "save"})
    assert answer.status_code == 422
    assert "Say why" in words(answer)


@pytest.mark.parametrize("role", ["viewer", "operator"])
def test_others_read_the_rules_and_are_told_who_may_change_them(role, request):
    person = request.getfixturevalue(role)
    made = RULES.add(GIVEN, **WHO)
    for address in ("/rules/", f"/rules/{made.pk}/"):
        text = words(person.get(address))
        assert "Only an administrator may change the rules" in text
        assert "billing" in text
    for address in (
        f"/rules/{made.pk}/",
        f"/rules/{made.pk}/switch/",
        f"/rules/{made.pk}/deletion/",
        "/rules/new",
    ):
        assert (
            person.post(address, {**GIVEN, "do": "save", "version": 1, "reason": "mine"}).status_code == 403
        )
    made.refresh_from_db()
    assert made.version == 1


def test_a_change_does_not_overwrite_another_persons(admin):
    made = RULES.add(GIVEN, **WHO)
    RULES.switch(made.pk, 1, on=False, **WHO)
    answer = admin.post(
        f"/rules/{made.pk}/", {**GIVEN, "name": "mine", "do": "save", "version": "1", "reason": "a test"}
    )
    assert answer.status_code == 422
    assert "changed or deleted meanwhile" in words(answer)
    answer = admin.post(
        f"/rules/{made.pk}/", {**GIVEN, "name": "mine", "do": "save", "version": "2", "reason": "a test"}
    )
    assert answer.status_code == 302
    assert FailureRule.objects.get().name == "mine"


def test_a_rule_is_moved_switched_and_deleted(admin):
    first, second = (RULES.add({**GIVEN, "name": name}, **WHO) for name in ("one", "two"))
    admin.post(f"/rules/{second.pk}/place/", {"version": "1", "way": "up"})
    assert [rule.name for rule in RULES.all()] == ["two", "one"]
    assert "Disable rule" in words(admin.get(f"/rules/{first.pk}/switch/"))
    admin.post(f"/rules/{first.pk}/switch/", {"version": "1", "reason": "a test"})
    first.refresh_from_db()
    assert (first.enabled, first.version) == (False, 2)
    stale = admin.post(f"/rules/{first.pk}/deletion/", {"version": "1", "reason": "a test"})
    assert stale.status_code == 422
    admin.post(f"/rules/{first.pk}/deletion/", {"version": "2", "reason": "a test"})
    assert [rule.name for rule in RULES.all()] == ["two"]
    assert {entry.action for entry in AuditEntry.objects.all()} == {"create", "move", "disable", "delete"}


def test_a_dead_letter_says_why_it_is_in_its_group(viewer, letter):
    pk = letter(error_reason="Refused: order 7 \u202eevil")
    text = words(viewer.get(f"/dead-letters/{pk}/"))
    assert "Why in this group" in text
    assert "as the error itself said it" in text
    assert "Refused: order <value> ⟦U+202E⟧evil" in text


def test_a_group_says_why_its_dead_letters_are_in_it(viewer, letter):
    group = DeadLetter.objects.get(pk=letter(error_reason="Refused: order 7")).group_id
    assert "Refused: order <value>" in words(viewer.get(f"/groups/{group}/"))
    DeadLetter.objects.all().delete()
    assert "Why in this group" not in words(viewer.get(f"/groups/{group}/"))


@pytest.mark.parametrize(
    ("rule", "shown"),
    [
        ({"event_type": "order.created", "error_class": "Refused"}, "type=order.created&reason=Refused"),
        ({"event_type": "order.*", "error_class": "*Refused*by*"}, "reason=Refused"),
        ({"event_type": "", "error_class": "*ab*"}, ""),
    ],
)
def test_what_a_rule_may_be_about_is_a_list_that_leaves_none_out(rule, shown):
    assert affected_filter(rule) == shown
