"""J8: discard a range, find it in its tab, restore it; the filter and the selection survive."""

import re

import pytest
from playwright.sync_api import expect

from dlqconsole.engine.models import DeadLetter
from dlqconsole.operations.models import Operation
from tests.e2e.journeys import Hand, assert_accessible, many

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_a_range_is_discarded_and_restored(signed_in, live_server, worker, letter, settings):
    """Rules 1, 3 and 9: labelled scopes, counted buttons, a filter that survives. Nobody leaves the list."""
    settings.DLQ_RETENTION_DAYS = 30
    many(letter, 12)
    letter("other.type")
    worker()
    page = signed_in("operator")
    page.goto(f"{live_server.url}/dead-letters/?type=order.created")
    boxes = page.locator('input[name="ids"]')
    hand = Hand(page)
    hand.click(boxes.nth(1))
    hand.click(boxes.nth(5), modifiers=["Shift"])
    expect(page.get_by_text("5 on this page")).to_be_visible()
    expect(page.get_by_text("all 12 matching")).to_be_visible()
    hand.click(page.get_by_role("button", name="Discard 5"))
    expect(page.get_by_role("heading", name="The 5 you ticked")).to_be_visible()
    assert_accessible(page)
    page.keyboard.type("duplicates of last night")
    page.keyboard.press("Control+Enter")
    toasts = page.locator("#toasts")
    expect(toasts).to_contain_text("5 discarded", timeout=30_000)
    expect(toasts.get_by_role("link", name="Receipt")).to_be_visible()
    assert_accessible(page)
    assert DeadLetter.objects.filter(status="DISCARDED").count() == 5
    # the rows stay ticked, and cannot be discarded again: the button says so instead of "Discard 0"
    unable = page.get_by_role("button", name="Discard 0")
    expect(unable).to_have_attribute("aria-disabled", "true")
    expect(unable).to_have_attribute("title", "None of the ticked can take this")

    expect(page).to_have_url(re.compile(r"/dead-letters/\?(type=|q=type:)order.created$"))
    tab = page.get_by_role("navigation", name="Status").get_by_role("link", name="Discarded 5")
    hand.click(tab)
    expect(page).to_have_url(re.compile(r"q=type:order.created\+status:DISCARDED"))
    expect(page.get_by_text("deleted for ever in 29 days").first).to_be_visible()
    # the ticks are remembered by number
    hand.click(page.get_by_role("button", name="Restore 5"))
    expect(page.get_by_label(re.compile("^Why"))).to_be_focused()
    page.keyboard.type("they were not")
    page.keyboard.press("Control+Enter")
    expect(toasts).to_contain_text("5 restored", timeout=30_000)
    expect(page.get_by_text("Nothing matches")).to_be_visible()
    assert not DeadLetter.objects.filter(status="DISCARDED").exists()
    assert hand.clicks <= 5


def test_a_discard_is_undone_on_its_toast(signed_in, live_server, worker, letter):
    one = letter()
    worker()
    page = signed_in("operator")
    page.goto(f"{live_server.url}/dead-letters/")
    page.get_by_label(f"Select {one}").check()
    page.keyboard.press("d")
    expect(page.get_by_label(re.compile("^Why"))).to_be_focused()
    page.keyboard.type("a slip")
    page.keyboard.press("Control+Enter")
    page.locator("#toasts").get_by_role("button", name="Undo").click(timeout=30_000)
    expect(page.locator("#toasts")).to_contain_text("1 taken back", timeout=30_000)
    expect(page.locator(f"#dl-{one}")).to_contain_text("Pending")
    assert DeadLetter.objects.get().status == "PENDING"


def test_discarding_all_needs_the_typed_count(signed_in, live_server, letter):
    many(letter, 3)
    page = signed_in("operator")
    page.goto(f"{live_server.url}/dead-letters/")
    page.get_by_label("all 3 matching").check()
    page.get_by_role("button", name="Discard 3").click()
    page.get_by_label(re.compile("^Why")).fill("all of them")
    page.get_by_label("Type 3").fill("4")
    page.get_by_role("button", name="Discard 3").last.click()
    expect(page.get_by_role("alert")).to_contain_text("Type 3 to confirm")
    # what was typed is still there
    expect(page.get_by_label(re.compile("^Why"))).to_have_value("all of them")
    assert not Operation.objects.exists()
    page.get_by_label("Type 3").fill("3")
    page.get_by_role("button", name="Discard 3").last.click()
    expect(page.locator("#toasts")).to_contain_text("Discard: under way")
    assert Operation.objects.get().expected == 3
