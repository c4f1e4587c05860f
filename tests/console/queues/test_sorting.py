"""The list of queues sorts by its headings, while all of them stand on one page."""

import pytest

from dlqconsole.console.queues import list_views
from dlqconsole.core import messages


@pytest.fixture
def three(db, letter):
    """Queues a, b and c with 2, 3 and 1 messages; a dead letter of c, and what is in flight of a."""
    for name, number in (("a", 2), ("b", 3), ("c", 1)):
        for _ in range(number):
            messages.send(name, b"{}")
    messages.claim("a", 1, "me", 60)
    letter(queue="c")


def names(client, address):
    return [queue["name"] for queue in client.get(address).context["queues"]]


@pytest.mark.parametrize(
    ("sort", "expected"),
    [
        ("name", "abc"), ("-name", "cba"), ("-visible", "bac"), ("visible", "acb"), ("-in_flight", "abc"),
        ("-dead_letters", "cab"), ("failing", "abc"), ("-failing", "abc"), ("nothing", "abc"),
    ],
)  # fmt: skip
def test_the_queues_stand_in_the_order_of_the_address(three, viewer, sort, expected):
    assert names(viewer, f"/queues/?sort={sort}") == list(expected)


def test_a_heading_leads_to_its_order_and_says_the_present_one(three, viewer):
    page = viewer.get("/queues/?sort=-visible")
    assert page.content.decode().count('aria-sort="descending"') == 1
    assert page.context["headings"]["visible"].url == "/queues/?sort=visible"
    assert page.context["headings"]["name"].url == "/queues/"


def test_what_has_more_pages_stands_by_name_and_offers_no_order(three, viewer, monkeypatch):
    monkeypatch.setattr(list_views, "PAGE", 2)
    page = viewer.get("/queues/?sort=-visible")
    assert [queue["name"] for queue in page.context["queues"]] == ["a", "b"]
    assert "aria-sort" not in page.content.decode()
