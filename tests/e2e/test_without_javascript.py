"""The same journey in a browser that runs no script: links and forms are enough."""

import re

import pytest
from playwright.sync_api import expect

from dlqconsole.operations.models import Operation
from tests.waiting import eventually

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def browser_context_args(browser_context_args: dict[str, object]) -> dict[str, object]:
    return browser_context_args | {"java_script_enabled": False}


def test_filtering_reviving_and_the_receipt_need_no_script(sign_in, live_server, worker, letter):
    for number in range(30):
        letter(error_reason=f"PlaneUnknown: tailnum N{number}MQ is not in the planes table")
    letter(error_reason="BillingAway: billing answered 503")
    worker()
    page = sign_in("operator")
    page.get_by_role("link", name="Dead letters", exact=True).click()
    page.get_by_label("Reason contains").fill("PlaneUnknown")
    page.get_by_role("button", name="Filter", exact=True).click()
    expect(page.locator("#count-words")).to_have_text("30 matching")

    page.get_by_label("all 30 matching").check()
    page.get_by_role("button", name="Revive").click()
    page.get_by_label(re.compile("^Why")).fill("no script needed")
    page.get_by_role("button", name="Revive 30").click()

    page.wait_for_url(re.compile(r"/operations/\d+/"))
    eventually(lambda: not Operation.objects.get().is_live)
    page.reload()
    expect(page.locator("#op-status")).to_contain_text("Handed over")
    expect(page.locator("#op-outlook")).to_contain_text("30 of 30 still to be handled")
    assert Operation.objects.get().done == 30


def test_ticked_rows_are_enough_to_discard(signed_in, live_server, letter):
    first, _other = letter(), letter()
    page = signed_in("operator")
    page.goto(f"{live_server.url}/dead-letters/")
    page.get_by_label(f"Select {first}").check()
    page.get_by_role("button", name="Discard").click()
    page.get_by_label(re.compile("^Why")).fill("a duplicate")
    page.get_by_role("button", name="Discard 1").click()
    page.wait_for_url(re.compile(r"/operations/\d+/"))
    assert Operation.objects.get().ids == [first]
