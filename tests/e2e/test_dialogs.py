"""A dialog on a telephone: its close button stands beside its title, however long that is."""

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.journeys import many

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

NARROW = {"width": 390, "height": 844}


def close_button_is_beside_title(page: Page, dialog: str) -> bool:
    title = page.locator(f"{dialog} header h1, {dialog} header h2").first.bounding_box()
    button = page.locator(f"{dialog} [data-close-dialog]").first.bounding_box()
    assert title
    assert button
    is_beside = button["x"] >= title["x"] + title["width"]
    return is_beside and button["y"] < title["y"] + title["height"]


def test_the_close_button_stands_beside_the_title(signed_in, live_server, letter):
    many(letter, 3)
    page = signed_in("operator")
    page.set_viewport_size(NARROW)
    page.goto(f"{live_server.url}/dead-letters/")
    page.get_by_label("all 3 matching").check()
    page.get_by_role("button", name="Discard 3").click()
    expect(page.locator("#dialog .confirm")).to_be_visible()
    assert close_button_is_beside_title(page, "#dialog")
    page.locator("#dialog h1").evaluate("title => title.append(' and what a translation makes of it')")
    assert close_button_is_beside_title(page, "#dialog")
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()
    assert close_button_is_beside_title(page, "#keys")
