"""The page of owners: a maintainer keeps the rules, everybody reads them, and pages show whose a group is."""

import pytest

from dlqconsole.engine.models import AuditEntry, DeadLetter, OwnerRule
from tests.accounts import actor_of
from tests.conftest import signed_in

pytestmark = pytest.mark.django_db
NEW = {"event_type": "order.*", "owner": "Payments", "enabled": "yes", "reason": "the new team"}


def test_a_rule_is_added_changed_moved_and_deleted(letter):
    letter()
    maintainer = signed_in("maintainer")
    assert maintainer.post("/owners/", NEW).status_code == 302
    maintainer.post("/owners/", NEW | {"owner": "Second"})
    first, second = OwnerRule.objects.order_by("position")
    maintainer.post(f"/owners/{second.pk}/place/", {"version": 1, "way": "up"})
    assert [rule.owner for rule in OwnerRule.objects.order_by("position")] == ["Second", "Payments"]
    maintainer.post(f"/owners/{second.pk}/", NEW | {"version": 1, "owner": "Orders"})
    assert "Orders" in maintainer.get("/groups/").content.decode()
    maintainer.post(f"/owners/{second.pk}/", NEW | {"version": 2, "delete": "yes"})
    assert OwnerRule.objects.get() == first
    entries = AuditEntry.objects.filter(target__startswith="owner_rule:").order_by("id")
    assert [entry.action for entry in entries] == ["create", "create", "move", "change", "delete"]
    assert {entry.actor for entry in entries} == {actor_of("maintainer")}
    assert "Payments" in maintainer.get("/audit/").content.decode()


def test_wrong_values_are_said_at_their_fields():
    answer = signed_in("maintainer").post("/owners/", NEW | {"event_type": ""})
    assert answer.status_code == 422
    assert "Say which groups" in answer.content.decode()


def test_an_operator_reads_the_rules_and_who_may_change_them(operator):
    signed_in("maintainer").post("/owners/", NEW)
    page = operator.get("/owners/").content.decode()
    assert "Payments" in page
    assert "Only a maintainer may change the rules of owners." in page
    assert operator.post("/owners/", NEW).status_code == 403


def test_group_detail_and_filter_show_whose_it_is(letter, viewer):
    one = letter()
    signed_in("maintainer").post("/owners/", NEW)
    group_id = DeadLetter.objects.get().group_id
    for path in ("/groups/", f"/groups/{group_id}/", f"/dead-letters/{one}/"):
        assert "Payments" in viewer.get(path).content.decode(), path
    listed = viewer.get("/dead-letters/?owner=Payments").content.decode()
    assert f"/dead-letters/{one}/" in listed
    assert "owner is" in listed
    assert f"/dead-letters/{one}/" not in viewer.get("/dead-letters/?owner=Mail").content.decode()
