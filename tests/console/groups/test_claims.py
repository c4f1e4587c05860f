"""Two people and one group: each page on which the second could act names the first."""

import html

import pytest
from django.contrib.auth.models import User

from dlqconsole.engine.models import DeadLetter, FailureGroup
from dlqconsole.people.models import Scope
from tests.accounts import actor_of
from tests.conftest import signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def claimed(letter, operator) -> int:
    """A dead letter whose group the operator claims and writes a note on."""
    letter_id = letter()
    group_id = DeadLetter.objects.get().group_id
    FailureGroup.objects.update(note="do not revive before 06:00")
    answer = operator.post(f"/groups/{group_id}/", {"verb": "claim", "version": 1, "until": "2h"})
    assert answer.status_code == 302
    return letter_id


def words(answer) -> str:
    return " ".join(html.unescape(answer.content.decode()).split())


def places(client, letter_id: int) -> dict[str, str]:
    """The pages on which a person could act on it."""
    group_id = FailureGroup.objects.get().pk
    revive = {"kind": "revive", "scope": "all", "filter": f"group={group_id}"}
    return {
        "group": words(client.get(f"/groups/{group_id}/")),
        "dead letter": words(client.get(f"/dead-letters/{letter_id}/")),
        "dialog": words(client.post("/dead-letters/operations/", revive)),
        "dialog of one": words(
            client.post("/dead-letters/operations/", {"kind": "discard", "scope": "page", "ids": letter_id})
        ),
    }


def test_each_place_to_act_names_who_works_on_it(claimed):
    until = FailureGroup.objects.get().claimed_until
    for place, page in places(signed_in("maintainer"), claimed).items():
        assert f"<strong>operator</strong> is working on this until {until:%H:%M} UTC" in page, place


def test_the_note_is_read_before_its_dead_letters_are_revived(claimed, operator):
    pages = places(operator, claimed)
    for place in ("dialog", "dialog of one"):
        assert "do not revive before 06:00" in pages[place]
        assert "You are working on this until" in pages[place]


def test_a_viewer_sees_the_button_and_why_it_does_nothing(claimed, viewer):
    page = places(viewer, claimed)["group"]
    assert 'name="verb" value="claim"' not in page
    assert 'Claim<span class="visually-hidden">: Viewers may look but not change.' in page
    group_id = FailureGroup.objects.get().pk
    answer = viewer.post(f"/groups/{group_id}/", {"verb": "claim", "version": 2, "until": "2h"})
    assert answer.status_code == 403
    assert FailureGroup.objects.get().claimed_by == actor_of("operator")


def test_who_sees_a_part_reads_who_works_on_it_and_not_what_was_written(claimed, letter):
    letter(event_type="order.created", queue="other")
    someone = signed_in("maintainer")
    Scope.objects.create(user=User.objects.get(username="maintainer"), queue="order.*", event_type="*")
    pages = places(someone, claimed)
    for place, page in pages.items():
        assert "<strong>operator</strong> is working on this" in page, place
        assert "do not revive before 06:00" not in page, place
    answer = someone.post(f"/groups/{FailureGroup.objects.get().pk}/", {"verb": "release", "version": 2})
    assert answer.status_code == 403


def test_another_person_takes_over_and_the_audit_log_has_both(claimed, admin_user_client):
    group_id = FailureGroup.objects.get().pk
    assert "Take over" in words(admin_user_client.get(f"/groups/{group_id}/"))
    admin_user_client.post(f"/groups/{group_id}/", {"verb": "claim", "version": 2, "until": "1h"})
    assert FailureGroup.objects.get().claimed_by == actor_of("admin")
    log = words(admin_user_client.get("/audit/"))
    assert log.count("works on it until") == 2
