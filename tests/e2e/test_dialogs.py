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


@pytest.mark.parametrize("is_dialog", [True, False])
def test_previewing_again_says_at_its_field_what_is_mistyped(signed_in, live_server, letter, is_dialog):
    many(letter, 3)
    page = signed_in("operator")
    page.goto(f"{live_server.url}/dead-letters/")
    page.get_by_label("all 3 matching").check()
    if is_dialog:
        page.get_by_role("button", name="Revive 3").click()
    else:
        # as without a script: the whole page
        page.evaluate("""() => {
            const form = document.querySelector("form[data-selection]");
            const kind = document.createElement("input");
            Object.assign(kind, { name: "kind", value: "revive", type: "hidden" });
            form.append(kind);
            HTMLFormElement.prototype.submit.call(form);
        }""")
    form = page.locator("form.confirm")
    form.get_by_text("Options", exact=True).click()
    form.get_by_label("Undo window").fill("600")
    form.get_by_label("To the queue").fill("no:such")
    form.get_by_role("button", name="Preview again").click()
    expect(form.locator("#confirm-to_queue_error")).to_contain_text("no:such")
    expect(form.get_by_label("To the queue")).to_have_value("no:such")
    expect(form.locator("#confirm-chosen")).to_have_text("held back for 600 s, something has to be mended")
    form.get_by_label("To the queue").fill("")
    form.get_by_role("button", name="Preview again").click()
    expect(form.locator("#confirm-chosen")).to_have_text("held back for 600 s")
