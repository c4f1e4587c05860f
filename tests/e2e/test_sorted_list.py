"""A list that somebody sorted: by a heading, under live updates, after Back, and in a saved view."""

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.journeys import assert_accessible

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_the_order_lasts_through_a_live_update_a_view_and_back(signed_in, live_server, letter):
    most, some, few = (letter(retry_count=number) for number in (9, 5, 1))
    page = signed_in("operator")
    page.set_viewport_size({"width": 1440, "height": 900})  # wide enough for each column
    page.clock.install()
    page.goto(f"{live_server.url}/dead-letters/?size=3")
    rows = page.locator("tr[data-row]")
    expect(page.locator("th[aria-sort=descending]")).to_have_text("Dead since")

    page.get_by_role("link", name="Tries").click()
    page.wait_for_url(re.compile(r"[?&]sort=-tries"))
    expect(page.locator("th[aria-sort=descending]")).to_have_text("Tries")
    assert [row.get_attribute("data-row") for row in rows.all()] == [str(each) for each in (most, some, few)]
    assert_accessible(page)

    # what arrives between two rows is offered, and pushes the last to the next page: it is not gone
    page.goto(f"{live_server.url}/dead-letters/?size=3&sort=-tries")
    letter(retry_count=7)
    page.clock.run_for(17_000)  # a beat notes the time, a later one asks
    expect(page.locator("#arrivals")).to_have_text("1 new, show them")
    expect(page.locator("tr.is-gone")).to_have_count(0)
    expect(rows.nth(1)).to_have_attribute("data-row", str(some))

    page.get_by_text("Columns", exact=True).click()
    assert_accessible(page)
    page.get_by_role("checkbox", name="Queue").uncheck()
    page.get_by_role("button", name="Show", exact=True).click()
    expect(page.get_by_role("columnheader", name="Queue")).to_have_count(0)
    expect(page.locator("th[aria-sort=descending]")).to_have_text("Tries")
    page.get_by_text("Views", exact=True).click()
    page.get_by_label("Save this filter as").fill("Most tried")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("The view “Most tried” is saved.")).to_be_visible()
    expect(page.locator("th[aria-sort=descending]")).to_have_text("Tries")

    page.get_by_role("link", name="Tries").click()
    expect(page.locator("th[aria-sort=ascending]")).to_have_text("Tries")
    page.go_back()
    expect(page.locator("th[aria-sort=descending]")).to_have_text("Tries")
    expect(page.get_by_role("columnheader", name="Queue")).to_have_count(0)
