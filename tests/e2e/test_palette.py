"""By keys alone: the box on top leads to a place, and an opened view takes another filter."""

import pytest
from playwright.sync_api import expect

from tests.e2e.journeys import assert_accessible

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_control_k_leads_from_a_field_to_a_place_by_the_arrows(signed_in, live_server, letter):
    letter("order.made"), letter("order.paid", error_reason="Away: no answer")
    page = signed_in("viewer")
    page.goto(f"{live_server.url}/dead-letters/")
    box, options = page.locator("#jump"), page.locator("#places [role=option]")
    page.locator("#f-q").focus()
    page.keyboard.press("Control+k")
    expect(box).to_be_focused()
    expect(options.first).to_have_text("Overview")  # without a text, the pages
    page.keyboard.type("order.p")
    expect(page.get_by_role("group", name="Event types").get_by_role("option")).to_have_text("order.paid 1")
    expect(box).to_have_attribute("aria-expanded", "true")
    assert_accessible(page)

    page.keyboard.press("ArrowDown")
    first = page.locator("#places [aria-selected=true]")
    expect(first).to_contain_text("Away: no answer")
    expect(box).to_have_attribute("aria-activedescendant", str(first.get_attribute("id")))
    page.keyboard.press("ArrowUp")  # round to the last
    expect(first).to_contain_text("order.paid")
    page.keyboard.press("Escape")
    expect(options.first).to_be_hidden()
    expect(box).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(options.first).to_be_visible()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url(f"{live_server.url}/groups/*/")

    # with no entry chosen, Enter searches as ever
    page.keyboard.press("Meta+k")
    page.keyboard.type("order.paid")
    expect(options.first).to_be_visible()
    page.keyboard.press("Enter")
    page.wait_for_url("**/dead-letters/**")


def test_no_key_takes_what_fitted_an_earlier_text(signed_in, live_server, letter):
    letter("order.made", error_reason="Away: no answer"), letter("order.paid", error_reason="Gone: for good")
    page = signed_in("viewer")
    page.goto(live_server.url)
    page.keyboard.press("Control+k")
    page.keyboard.type("Away")
    expect(page.locator("#places [role=option]")).to_contain_text("Away")
    page.route("**/places?text=order.paid", lambda route: None)  # the answer is on its way for ever
    page.locator("#jump").fill("order.paid")
    page.keyboard.press("ArrowDown")
    expect(page.locator("#places [aria-selected=true]")).to_have_count(0)
    page.keyboard.press("Enter")
    page.wait_for_url("**/dead-letters/**")


def test_an_opened_view_takes_another_filter_and_opens_as_groups(signed_in, live_server, letter):
    letter("order.made"), letter("order.paid"), letter("order.paid", error_reason="Away: no answer")
    page = signed_in("operator")
    page.goto(f"{live_server.url}/dead-letters/?q=type:order.made")
    page.get_by_text("Views", exact=True).click()
    page.get_by_label("Save this filter as").fill("Ours")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("The view “Ours” is saved.").wait_for()

    page.locator("#f-q").fill("type:order.paid")
    page.locator("#f-q").press("Enter")
    menu = page.locator("summary", has_text="Ours")
    expect(menu).to_contain_text("not saved")
    page.get_by_role("link", name="As groups").click()
    expect(page.get_by_role("columnheader", name="Matching")).to_be_visible()
    menu.click()
    expect(page.get_by_label("It opens as")).to_have_value("group")
    assert_accessible(page)
    page.get_by_role("button", name="Save", exact=True).click()
    expect(menu).not_to_contain_text("not saved")

    page.goto(live_server.url)
    page.keyboard.press("Control+k")
    page.keyboard.type("our")
    page.get_by_role("option", name="Ours").click()
    expect(page.locator("tr[data-row]")).to_have_count(2)
    page.locator("tr[data-row]", has_text="Away").get_by_role("link", name="1", exact=True).click()
    expect(page.locator("tr[data-row]")).to_have_count(1)
