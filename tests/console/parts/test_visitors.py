"""Each page on which two people could get into each other's way names who else has it open."""

import html

import pytest
from django.contrib.auth.models import User
from django.db import connection

from dlqconsole.engine.models import DeadLetter
from dlqconsole.people.models import Scope
from tests.accounts import ALICE
from tests.asking import ask_for
from tests.conftest import signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def pages(letter) -> dict[str, str]:
    """The pages that name them, by noun."""
    letter_id = letter()
    group_id = DeadLetter.objects.get().group_id
    return {
        "group": f"/groups/{group_id}/",
        "letter": f"/dead-letters/{letter_id}/",
        "edit": f"/dead-letters/{letter_id}/edit/",
        "operation": f"/operations/{ask_for('discard', actor=ALICE, ids=[letter_id]).pk}/",
    }


def words(answer) -> str:
    return " ".join(html.unescape(answer.content.decode()).replace("<strong>", "").split())


@pytest.mark.parametrize("noun", ["group", "letter", "operation"])
def test_who_comes_second_reads_who_is_here_and_the_first_at_the_next_poll(viewer, operator, pages, noun):
    assert "Also here" not in words(viewer.get(pages[noun]))
    assert "Also here: viewer" in words(operator.get(pages[noun]))
    poll = viewer.get(pages[noun], headers={"X-Live": "1", "HX-Request": "true", "HX-Target": "here"})
    assert "Also here: operator" in words(poll)
    assert "<main" not in poll.content.decode()


def test_who_edits_a_dead_letter_is_named_on_its_page_and_to_other_editors(viewer, operator, pages):
    operator.get(pages["edit"])
    assert "Editing it now: operator" in words(viewer.get(pages["letter"]))
    second = words(signed_in("maintainer").get(pages["edit"]))
    assert "Editing it now: operator" in second
    assert "Also here: viewer" in second


def test_how_long_somebody_is_here_is_said_from_a_minute_on(viewer, operator, pages):
    viewer.get(pages["group"])
    with connection.cursor() as cursor:
        cursor.execute("UPDATE page_visits SET since = since - interval '130 seconds'")
    assert "Also here: viewer, 2 min" in words(operator.get(pages["group"]))


def test_who_may_not_see_the_page_neither_is_named_nor_reads_a_name(viewer, operator, pages):
    viewer.get(pages["letter"])
    limited = signed_in("admin")
    Scope.objects.create(user=User.objects.get(username="admin"), queue="elsewhere")
    for headers in ({}, {"X-Live": "1", "HX-Request": "true", "HX-Target": "here"}):
        answer = limited.get(pages["letter"], headers=headers)
        assert answer.status_code == 404
        assert "viewer" not in words(answer)
    assert "admin" not in words(operator.get(pages["letter"]))
