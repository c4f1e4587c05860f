"""J2 in a real browser: Back leads to the same filter, rows, place and ticks, also where parts came late."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.journeys import many

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

LISTED = re.compile(r"/dead-letters/\?q=type(:|%3A)order\.made$")
LETTER = re.compile(r"/dead-letters/\d+/")


@pytest.fixture
def page_of_list(signed_in, live_server, letter) -> Page:
    """The list, filtered by htmx, with a tick in row 38, scrolled to row 40."""
    many(letter, 60, event_type="order.made")
    many(letter, 2, event_type="order.made", status="DISCARDED")
    letter("mail")
    page = signed_in("operator")
    page.goto(f"{live_server.url}/dead-letters/")
    page.locator("#f-q").fill("type:order.made")
    page.locator("#f-q").press("Enter")
    page.wait_for_url(LISTED)
    rows = page.locator("tr[data-row]")
    expect(page.get_by_text("62 matching", exact=True)).to_be_visible()
    rows.nth(38).locator("input").check()
    rows.nth(40).scroll_into_view_if_needed()
    assert page.evaluate("scrollY") > 300
    return page


def as_left(page: Page) -> dict[str, object]:
    """What Back must bring again."""
    return page.evaluate("""() => ({
        rows: [...document.querySelectorAll("tr[data-row]")].map(row => row.id),
        filter: document.querySelector("#f-q").value,
    })""")


def wait_for_place(page: Page, place: float) -> None:
    page.wait_for_function("place => Math.abs(scrollY - place) < 4", arg=place)


def test_back_and_the_link_to_the_list_restore_all_of_it(page_of_list):
    page = page_of_list
    rows, before, place = page.locator("tr[data-row]"), as_left(page), page.evaluate("scrollY")
    to_list = page.get_by_role("link", name="Dead letters").last
    for back in (page.go_back, lambda: page.keyboard.press("u"), to_list.click):
        rows.nth(40).get_by_role("link").first.click()
        page.wait_for_url(LETTER)
        back()
        page.wait_for_url(LISTED)
        wait_for_place(page, place)
        assert as_left(page) == before
        expect(rows.nth(38).locator("input")).to_be_checked()
        expect(page.locator("[data-selected-count]")).to_have_text("1")


def test_a_tick_stays_with_its_dead_letter_when_others_came_meanwhile(page_of_list, letter):
    page = page_of_list
    ticked = page.locator("tr[data-row] input:checked").get_attribute("value")
    page.locator("tr[data-row]").nth(40).get_by_role("link").first.click()
    page.wait_for_url(LETTER)
    letter("order.made")
    page.go_back()
    expect(page.get_by_text("63 matching", exact=True)).to_be_visible()
    boxes = page.locator("tr[data-row] input:checked")
    expect(boxes).to_have_count(1)
    expect(boxes).to_have_value(ticked)
    expect(page.locator("[data-selected-count]")).to_have_text("1")


def test_back_from_a_short_list_finds_the_place_in_the_long_one(page_of_list):
    page = page_of_list
    rows, before, place = page.locator("tr[data-row]"), as_left(page), page.evaluate("scrollY")
    page.locator(".tabs a", has_text="Discarded").evaluate("tab => tab.click()")
    expect(rows).to_have_count(2)
    page.go_back()
    expect(rows).to_have_count(50)
    wait_for_place(page, place)
    assert as_left(page) == before
    expect(rows.nth(38).locator("input")).to_be_checked()


def test_back_waits_for_what_the_page_loads_late(signed_in, live_server, letter):
    large = letter(payload={"lines": ["x" * 900] * 300}, error_stacktrace="frame\n" * 20)
    page = signed_in("operator")
    page.goto(f"{live_server.url}/dead-letters/{large}/")
    payload = page.locator("#payload-text")
    expect(payload).to_contain_text("lines")
    page.evaluate("scrollTo(0, 1e6)")
    place = page.evaluate("scrollY")
    page.get_by_role("link", name="Groups", exact=True).evaluate("link => link.click()")
    page.wait_for_url("**/groups/")
    page.go_back()
    expect(payload).to_contain_text("lines")
    wait_for_place(page, place)
