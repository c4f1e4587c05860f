"""The off switch, letting it go on, deleting: each by its confirm page, audited, as it was seen."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from dlqconsole.contrib.playbooks import tick
from dlqconsole.contrib.playbooks.models import Playbook
from dlqconsole.engine.models import AuditEntry
from dlqconsole.operations.models import Operation
from tests.accounts import actor_of
from tests.contrib.playbooks.conftest import was_away
from tests.contrib.playbooks.pages.conftest import confirmed, words

pytestmark = pytest.mark.django_db


def audited(row):
    return list(
        AuditEntry.objects.filter(target=f"playbook:{row.pk}")
        .order_by("id")
        .values_list("action", "actor", "reason")
    )


def test_switched_off_it_does_nothing_and_on_again_it_begins_anew(operator, of_operator, letter):
    letter()
    was_away()
    assert confirmed(operator, of_operator, "switch").status_code == 302
    tick.tick()
    assert not Operation.objects.exists()
    assert "It is switched off." in words(operator.get(f"/playbooks/{of_operator.pk}/"))
    confirmed(operator, of_operator, "switch")
    # what happened while it was off is not made up for
    tick.tick()
    assert not Operation.objects.exists()
    was_away()
    tick.tick()
    assert Operation.objects.count() == 1
    me = actor_of("operator")
    assert audited(of_operator)[1:3] == [("disable", me, "so it is"), ("enable", me, "so it is")]


def test_who_switches_it_on_answers_for_it_and_who_switches_it_off_does_not(
    operator, admin_user_client, of_operator
):
    confirmed(admin_user_client, of_operator, "switch")
    of_operator.refresh_from_db()
    assert of_operator.acts_for == actor_of("operator")
    confirmed(admin_user_client, of_operator, "switch")
    of_operator.refresh_from_db()
    assert of_operator.acts_for == actor_of("admin")


def test_somebody_who_has_looked_lets_it_go_on(admin_user_client, of_operator):
    Playbook.objects.update(look="It came back.")
    page = admin_user_client.get(f"/playbooks/{of_operator.pk}/look/")
    assert "It came back." in words(page)
    assert confirmed(admin_user_client, of_operator, "look").status_code == 302
    of_operator.refresh_from_db()
    assert (of_operator.look, of_operator.acts_for) == ("", actor_of("admin"))
    assert audited(of_operator)[-1] == ("resume", actor_of("admin"), "so it is")
    again = confirmed(admin_user_client, of_operator, "look")
    assert (again.status_code, "it goes on by itself" in words(again)) == (422, True)


def test_it_goes_on_only_when_its_operation_is_over(operator, of_operator, letter):
    letter()
    was_away()
    tick.tick()
    Operation.objects.update(status="halted", note="Halted.")
    tick.tick()
    refused = confirmed(operator, of_operator, "look")
    assert refused.status_code == 422
    assert "is still halted: resume or cancel it first" in words(refused)


def test_only_what_is_off_is_deleted_and_its_operations_stay(operator, of_operator, letter):
    letter()
    was_away()
    tick.tick()
    assert "Switch it off first" in words(confirmed(operator, of_operator, "deletion"))
    confirmed(operator, of_operator, "switch")
    assert confirmed(operator, of_operator, "deletion")["Location"] == "/playbooks/"
    assert not Playbook.objects.exists()
    assert Operation.objects.count() == 1


def test_what_somebody_changed_meanwhile_is_refused(operator, of_operator):
    answer = operator.post(f"/playbooks/{of_operator.pk}/switch/", {"version": "7", "reason": "r"})
    assert answer.status_code == 422
    assert "Somebody changed this playbook" in words(answer)
    lost = operator.post(f"/playbooks/{of_operator.pk}/switch/", {"reason": "r"})
    assert "lost the version" in words(lost)
    assert Playbook.objects.get().enabled


@pytest.mark.parametrize("page", ["switch", "look", "deletion", "edit"])
def test_a_viewer_may_do_none_of_it(viewer, of_operator, page):
    assert confirmed(viewer, of_operator, page).status_code == 403
    assert viewer.get(f"/playbooks/{of_operator.pk}/{page}/").status_code == 403
    assert "Viewers may look but not change" in words(viewer.get(f"/playbooks/{of_operator.pk}/"))


def test_a_form_from_elsewhere_does_nothing(of_operator):
    client = Client(enforce_csrf_checks=True)
    client.force_login(User.objects.get(username="operator"))
    assert confirmed(client, of_operator, "switch").status_code == 403
    assert Playbook.objects.get().enabled
