"""The orders of the list: each page is exact both ways, and the order stays in addresses."""

from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser

import pytest
from django.http import QueryDict

from dlqconsole.console.parts import paging
from dlqconsole.console.parts.list_layout import USUAL, ListLayout
from dlqconsole.engine.dead_letters.orders import ORDERS
from dlqconsole.engine.models import DeadLetter
from tests.plain_sql import execute

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def many(letter):
    """Twelve dead letters with few different values: their numbers decide among equals."""
    for number in range(12):
        letter(f"type.{number % 3}")
    execute(
        "UPDATE dlq_events SET retry_count = id %% 3, last_failure_at = %s + id %% 4 * interval '1 hour',"
        " retry_after = %s + id %% 2 * interval '1 hour'",
        BEGIN,
        BEGIN,
    )


class Headings(HTMLParser):
    """The headings of a page's tables: their words, address and direction."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[dict[str, str]] = []
        self.inside = False
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if tag == "th" and given.get("scope") == "col":
            self.inside = True
            self.found.append({"words": "", "direction": given.get("aria-sort", ""), "url": ""})
        elif tag == "a" and self.inside:
            self.found[-1]["url"] = given["href"]

    def handle_endtag(self, tag):
        self.inside = self.inside and tag != "th"

    def handle_data(self, data):
        if self.inside:
            self.found[-1]["words"] += data.strip()


def headings(client, address):
    found = Headings(client.get(address).content.decode()).found
    return {heading["words"]: heading for heading in found}


def ids(client, address):
    return [row["id"] for row in client.get(address).context["rows"]]


def expected(order):
    return list(order.first(DeadLetter.objects.all()).values_list("id", flat=True))


@pytest.mark.parametrize("name", ORDERS)
@pytest.mark.parametrize("is_reversed", [False, True])
def test_pages_of_each_order_are_exact_forwards_and_back(many, viewer, name, is_reversed):
    order = ORDERS[name].reversed() if is_reversed else ORDERS[name]
    address = f"/dead-letters/?q=status:PENDING&size=5&sort={order.text}"
    seen, back, page = [], [], viewer.get(address)
    while True:
        seen += [row["id"] for row in page.context["rows"]]
        if not page.context["next_url"]:
            break
        page = viewer.get(page.context["next_url"] + "&size=5")
    while page.context["prev_url"]:
        page = viewer.get(page.context["prev_url"] + "&size=5")
        back = [row["id"] for row in page.context["rows"]] + back
    assert seen == expected(order)
    assert back == seen[:10]


def test_a_heading_sorts_and_once_more_the_other_way(many, viewer):
    first = headings(viewer, "/dead-letters/")
    assert {words for words, heading in first.items() if heading["direction"]} == {"Dead since"}
    assert first["Dead since"]["direction"] == "descending"
    assert not first["Reason"]["url"]
    sorted_by_type = headings(viewer, first["Event type"]["url"])
    assert sorted_by_type["Event type"]["direction"] == "ascending"
    assert headings(viewer, sorted_by_type["Event type"]["url"])["Event type"]["direction"] == "descending"
    assert ids(viewer, sorted_by_type["Event type"]["url"]) == expected(ORDERS["type"].reversed())


def test_the_order_stays_with_the_filter_its_chips_tabs_rows_and_form(many, viewer):
    page = viewer.get("/dead-letters/?type=type.1&sort=tries&columns=tries,type")
    own = "sort=tries&columns=type,tries"
    addresses = [
        page.context["filter"].active[0]["remove_url"],
        page.context["filter"].cleared_url,
        page.context["tabs"][0]["url"],
        page.context["rows"][0]["url"],
    ]
    assert all(address.endswith(own) for address in addresses)
    assert '<input type="hidden" name="sort" value="tries">' in page.content.decode()
    letter = viewer.get(page.context["rows"][1]["url"])
    assert letter.context["list_url"].endswith(own)
    neighbours = [letter.context["prev_url"], letter.context["next_url"]]
    assert neighbours == [page.context["rows"][0]["url"], page.context["rows"][2]["url"]]


def test_the_next_try_sorts_only_what_is_pending(many, viewer):
    pending = headings(viewer, "/dead-letters/?status=PENDING&columns=next_try")
    assert pending["Next try"]["url"].endswith("sort=next_try&columns=next_try")
    assert not headings(viewer, "/dead-letters/?columns=next_try")["Next try"]["url"]
    page = viewer.get("/dead-letters/?status=PENDING&sort=next_try")
    urls = {tab["status"]: tab["url"] for tab in page.context["tabs"]}
    assert ("sort=" in urls["PENDING"], "sort=" in urls["EXHAUSTED"]) == (True, False)


def test_an_order_that_nobody_knows_is_said_and_the_newest_come_first(many, viewer):
    page = viewer.get("/dead-letters/?sort=reason")
    assert "There is no order “reason” of these" in page.content.decode()
    assert [row["id"] for row in page.context["rows"]] == expected(ORDERS["dead_since"])


def test_a_page_link_of_another_order_is_the_first_page(many, viewer):
    link = viewer.get("/dead-letters/?size=5&sort=tries").context["next_url"]
    page = viewer.get(link.replace("sort=tries", "sort=type"))
    assert str(paging.STALE) in page.content.decode()
    assert [row["id"] for row in page.context["rows"]] == expected(ORDERS["type"])


def test_the_confirm_page_leads_back_to_the_list_as_it_stood(many, operator):
    listed = "q=type:type.1&sort=-tries&columns=type"
    form = {"kind": "discard", "scope": "all", "filter": listed}
    page = operator.post("/dead-letters/operations/", form)
    assert page.context["preview"]["back_url"] == f"/dead-letters/?{listed}"
    assert dict(page.context["preview"]["hidden"])["listed"] == listed


def test_columns_are_those_that_are_ticked_whatever_their_order_and_strange_ones_are_left_out():
    for text in ("columns=tries&columns=type&columns=payload", "columns=tries,type"):
        assert ListLayout.read(QueryDict(text)).columns == ("type", "tries")
    assert ListLayout.read(QueryDict("columns=nothing")) == USUAL


def test_a_row_that_fails_again_between_two_pages_harms_none_of_the_others(many, viewer):
    page = viewer.get("/dead-letters/?size=5&sort=-last_failure")
    first = [row["id"] for row in page.context["rows"]]
    DeadLetter.objects.filter(pk=first[-1]).update(last_failure_at=BEGIN + timedelta(days=9))
    rest, page = [], viewer.get(page.context["next_url"] + "&size=5")
    while page.context["next_url"]:
        rest += [row["id"] for row in page.context["rows"]]
        page = viewer.get(page.context["next_url"] + "&size=5")
    rest += [row["id"] for row in page.context["rows"]]
    assert sorted(first + rest) == sorted(expected(ORDERS["id"]))
