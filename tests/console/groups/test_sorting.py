"""The list of groups sorts by its headings, over all groups and not only those shown."""

from datetime import UTC, datetime, timedelta

import pytest

from dlqconsole.console.groups import views
from dlqconsole.engine.models import DeadLetter

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def three(letter):
    """Three groups by their event type: two, three and one dead letters; B was seen first, C last."""
    for event_type, day, statuses in (
        ("A", 1, ("PENDING", "EXHAUSTED")),
        ("B", 0, ("EXHAUSTED", "EXHAUSTED", "PENDING")),
        ("C", 2, ("PENDING",)),
    ):
        for status in statuses:
            letter(event_type, status=status, created_at=BEGIN + timedelta(days=day))


def titles(client, address):
    return [group["event_type"] for group in client.get(address).context["groups"]]


@pytest.mark.parametrize(
    ("sort", "expected"),
    [
        ("all", "CAB"), ("-all", "BAC"), ("first_seen", "BAC"), ("-first_seen", "CAB"), ("-last_seen", "CAB"),
        ("nothing", "BAC"),
    ],
)  # fmt: skip
def test_the_groups_stand_in_the_order_of_the_address(three, viewer, sort, expected):
    assert titles(viewer, f"/groups/?sort={sort}") == list(expected)


def test_the_first_of_an_order_are_shown_even_if_others_burn_more(three, viewer, monkeypatch):
    monkeypatch.setattr(views, "MOST", 1)
    assert titles(viewer, "/groups/?sort=all") == ["C"]
    assert "2 more groups are not shown." in viewer.get("/groups/?sort=all").content.decode()


def test_the_order_stays_with_tabs_and_the_owners_form_and_says_itself_in_the_heading(three, viewer):
    page = viewer.get("/groups/?state=all&sort=first_seen")
    text = page.content.decode()
    assert text.count('aria-sort="ascending"') == 1
    assert page.context["headings"]["first_seen"].url == "/groups/?state=all&sort=-first_seen"
    assert page.context["headings"]["recent"].url == "/groups/?state=all"
    assert [tab["url"] for tab in page.context["tabs"]][:2] == [
        "/groups/?sort=first_seen",
        "/groups/?state=regressed&sort=first_seen",
    ]
    assert DeadLetter.objects.count() == 6
