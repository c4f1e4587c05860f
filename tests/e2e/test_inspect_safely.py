"""J3 in a real browser: an event of one megabyte is read to its end, and nothing disturbs who reads."""

import json

import pytest
from playwright.sync_api import expect

from tests.e2e.journeys import Hand, assert_accessible

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

NUMBER = 1234567890123456789
LINE = {"name": "a blue shoe", "mail": "ann.smith@example.org", "note": "x" * 900}
TRACE = """Traceback (most recent call last):
  File "/usr/lib/python3.13/site-packages/runner/run.py", line 4, in run
    call()
  File "/app/shop/handlers.py", line 88, in order_created
    raise ValueError("no total")
ValueError: no total"""


@pytest.fixture
def large(letter) -> int:
    """The number stands behind a megabyte: jsonb orders keys by their length."""
    payload = {"lines": [LINE] * 1_100, "transaction": NUMBER}
    assert len(json.dumps(payload)) > 1_000_000
    return letter("order.created", payload=payload, error_stacktrace=TRACE, source_key="order-77")


def test_a_megabyte_is_inspected_with_four_clicks(signed_in, live_server, large, context):
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = signed_in("viewer")
    page.goto(live_server.url)
    hand = Hand(page)
    hand.press("/")
    page.keyboard.type("order-77")
    hand.press("Enter")
    page.wait_for_url(f"**/dead-letters/{large}/**")

    text = page.locator("#payload-text")
    expect(text).to_contain_text(str(NUMBER))
    expect(text).to_contain_text("‹email›")
    expect(text).not_to_contain_text("ann.smith")
    assert text.bounding_box()["y"] < 450
    hand.click(page.get_by_role("button", name="Fold"))
    hand.click(page.locator(".tree .leaf", has_text=str(NUMBER)))
    hand.click(page.get_by_role("button", name="Copy path"))
    expect(page.locator("#toasts")).to_contain_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == "$.transaction"
    hand.click(page.get_by_role("button", name="App frames only"))
    expect(page.locator("#trace")).not_to_contain_text("site-packages", use_inner_text=True)
    expect(page.locator("#dl-story")).to_contain_text("First failure")
    assert_accessible(page)
    assert (hand.clicks, hand.keys) == (4, 2)


def test_a_live_update_takes_neither_fold_nor_focus_nor_text_away(signed_in, live_server, large):
    page = signed_in("operator")
    page.clock.install()
    page.goto(f"{live_server.url}/dead-letters/{large}/")
    page.get_by_role("button", name="Fold").click()
    page.locator(".tree summary", has_text="lines").click()
    page.get_by_text("Trace of this attempt").click()
    page.get_by_role("button", name="App frames only").click()
    page.get_by_role("button", name="Copy path").focus()
    for _twice in range(2):
        with page.expect_response(lambda answer: "x-live" in answer.request.headers) as update:
            page.clock.run_for(11_000)
        # a megabyte is not masked again for each update
        assert "x" * 900 not in update.value.text()
    expect(page.locator(".tree summary", has_text="lines").locator("..")).to_have_attribute("open", "")
    expect(page.locator("#dl-story details").first).to_have_attribute("open", "")
    expect(page.get_by_role("button", name="App frames only")).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("button", name="Copy path")).to_be_focused()


def test_without_scripts_a_link_shows_all_of_it(viewer, large):
    address = f"/dead-letters/{large}/"
    page = viewer.get(address).content.decode()
    assert str(NUMBER) not in page
    assert 'href="?whole=1#payload"' in page
    assert str(NUMBER) in viewer.get(f"{address}?whole=1").content.decode()
