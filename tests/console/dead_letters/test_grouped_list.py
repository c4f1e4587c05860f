"""The list as failure groups: each with the number of its dead letters that match, and of all."""

import pytest
from django.contrib.auth.models import User

from dlqconsole.engine.counts import matching_groups
from dlqconsole.engine.models import DeadLetter
from dlqconsole.people.models import Scope
from tests.console.dead_letters.test_list import too_slow


@pytest.fixture
def letters(letter):
    for number in range(3):
        letter("order.made", error_reason="Away: no", source=f"s{number % 2}")
    letter("order.made", error_reason="Away: no", status="DISCARDED")
    letter("mail", error_reason="Refused: no", source="s0", queue="post")


def grouped(client, q):
    """The page, and of each group its event type, how many match, and how many it has."""
    page = client.get("/dead-letters/", {"q": q, "grouping": "group"})
    return page, [(row["event_type"], row["matching"], row["total"]) for row in page.context["groups"]]


# the counts are kept of the first two; of the others the dead letters are counted
@pytest.mark.parametrize(
    ("q", "expected"),
    [
        ("", [("order.made", 4, 4), ("mail", 1, 1)]),
        ("status:PENDING -type:mail", [("order.made", 3, 4)]),
        ("source:s0", [("order.made", 2, 4), ("mail", 1, 1)]),
        ("away", [("order.made", 4, 4)]),
        ("type:nothing", []),
    ],
)
def test_each_group_has_the_number_that_its_link_lists(letters, operator, q, expected):
    page, rows = grouped(operator, q)
    assert rows == expected
    for row in page.context["groups"]:
        assert operator.get(row["matching_url"] + "&stay=1").context["count"].value == row["matching"]


def test_figures_of_the_whole_group_say_so(letters, viewer):
    page, _rows = grouped(viewer, "status:DISCARDED")
    words = " ".join(page.content.decode().split())
    assert "The whole group: all, last hours, last seen" in words
    assert page.context["count"].value == 1


def test_it_changes_into_the_list_of_the_same_filter_and_back(letters, viewer):
    page, _rows = grouped(viewer, "type:mail")
    as_list = viewer.get(page.context["filter"].regrouped_url)
    assert [row["event_type"] for row in as_list.context["rows"]] == ["mail"]
    assert "grouping=group" in as_list.context["filter"].regrouped_url


def test_what_takes_too_long_counts_the_newest_and_says_so(letters, operator, monkeypatch):
    monkeypatch.setattr(matching_groups, "time_budget", too_slow(1))
    page, rows = grouped(operator, "source:s0")
    words = " ".join(page.content.decode().split())
    assert rows == [("order.made", 2, 4), ("mail", 1, 1)]
    assert "only the newest 50,000 dead letters were looked at" in words
    assert "of the newest 50,000 </div>" in words
    monkeypatch.setattr(matching_groups, "time_budget", too_slow(2))
    page, rows = grouped(operator, "source:s0")
    assert rows == []
    assert "Counting groups takes too long." in page.content.decode()


def test_a_mistake_shows_no_group(letters, viewer):
    page, rows = grouped(viewer, "stauts:PENDING")
    assert (page.status_code, rows) == (400, [])


def test_who_sees_a_part_gets_groups_and_figures_of_that_part(letters, operator):
    letter = DeadLetter.objects.filter(event_type="mail").get()
    Scope.objects.create(user=User.objects.get(username="operator"), queue="post")
    for q in ("", "source:s0"):
        assert grouped(operator, q)[1] == [("mail", 1, 1)], letter.pk
