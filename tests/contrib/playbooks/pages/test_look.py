"""The list, one playbook, the overview: how each stands, what it did, what it would do, why it does not."""

import pytest
from django.contrib.auth.models import User

from dlqconsole.contrib.playbooks import service, tick
from dlqconsole.contrib.playbooks.models import Playbook
from dlqconsole.engine.models import FailureGroup
from dlqconsole.operations.models import Operation
from dlqconsole.people.models import Scope
from tests.accounts import actor_of
from tests.contrib.playbooks.conftest import given, made, was_away, who
from tests.contrib.playbooks.pages.conftest import words

pytestmark = pytest.mark.django_db


def test_without_any_the_list_has_an_example(viewer):
    said = words(viewer.get("/playbooks/"))
    assert "when dependency:weather answers again, revive what waits, 5 first, at most 2,000 an hour" in said


def test_what_it_did_stands_on_its_page_in_the_list_on_the_overview_and_on_the_group(
    operator, viewer, letter
):
    letter()
    group = FailureGroup.objects.get()
    FailureGroup.objects.update(owner="team orders")
    row = made(actor_of("operator"), filter={"group": str(group.pk)})
    was_away()
    tick.tick()
    operation = Operation.objects.get()
    receipt = f'href="/operations/{operation.pk}/"'
    for page in ("/", "/playbooks/", f"/playbooks/{row.pk}/", f"/groups/{group.pk}/"):
        answer = viewer.get(page)
        assert receipt in answer.content.decode(), page
        assert "evived 0 of 0" in words(answer), page
    assert "for team orders" in words(viewer.get("/"))
    assert "told team orders" in words(viewer.get(f"/playbooks/{row.pk}/"))
    told = viewer.get(f"/operations/{operation.pk}/")
    assert f"playbook {row.pk} for operator" in words(told)
    assert f'href="/playbooks/{row.pk}/"' in told.content.decode()
    said = words(viewer.get("/audit/?subject=playbook"))
    assert "asked for an operation on 1: type:order.created answers again" in said


def test_one_that_needs_a_look_stands_first_and_on_the_overview(viewer, of_operator):
    other = made(actor_of("operator"), name="Another")
    Playbook.objects.filter(pk=of_operator.pk).update(look="3 of the 3 of operation 7 failed again.")
    said = words(viewer.get("/playbooks/"))
    assert said.index("Orders are back") < said.index("Another")
    assert "Needs a look" in said
    assert "Look at the playbook Orders are back: 3 of the 3" in words(viewer.get("/"))
    assert "It needs a look, and does nothing until then." in words(
        viewer.get(f"/playbooks/{of_operator.pk}/")
    )
    assert "does nothing until then" not in words(viewer.get(f"/playbooks/{other.pk}/"))
    Playbook.objects.update(look=f"It acts for {actor_of('operator')}, who is viewer now.")
    for page in ("/", "/playbooks/", f"/playbooks/{other.pk}/"):
        assert "It acts for operator, who is viewer now." in words(viewer.get(page)), page


def test_its_page_says_what_it_would_do_and_why_it_does_not(viewer, of_operator, letter):
    for _each in range(3):
        letter()
    said = words(viewer.get(f"/playbooks/{of_operator.pk}/"))
    assert "Would take 3 Left of the budget 1,000" in said
    assert "type:order.created has not been seen to fail since it was switched on" in said
    assert Operation.objects.count() == 0


def test_a_limited_person_sees_those_that_reach_no_further_than_they_do(operator, viewer, letter):
    letter()
    everything = made(actor_of("operator"), name="Of everything")
    limited = User.objects.create(username="limited")
    limited.groups.set(User.objects.get(username="operator").groups.all())
    Scope.objects.create(user=limited, event_type="order.*")
    theirs = service.add(given(name="Of theirs"), who(f"user:{limited.pk}"))
    Scope.objects.create(user=User.objects.get(username="viewer"), event_type="order.*")
    said = words(viewer.get("/playbooks/"))
    assert ("Of theirs" in said, "Of everything" in said) == (True, False)
    assert viewer.get(f"/playbooks/{theirs.pk}/").status_code == 200
    assert viewer.get(f"/playbooks/{everything.pk}/").status_code == 404
    assert "Of everything" not in words(viewer.get("/"))
    assert "Of everything" in words(operator.get("/playbooks/"))


def test_a_limited_person_makes_none_about_what_they_do_not_see(operator, letter):
    letter()
    group = FailureGroup.objects.get().pk
    Scope.objects.create(user=User.objects.get(username="operator"), event_type="billing.*")
    answer = operator.post(
        "/playbooks/new",
        {
            "do": "save", "kind": "revive", "name": "n", "filter": f"group={group}", "trigger": "every",
            "minutes": "60", "per_day": "1", "operations_per_day": "1", "reason": "r",
        },
    )  # fmt: skip
    assert answer.status_code == 422
    assert f"There is no group {group}." in words(answer)
