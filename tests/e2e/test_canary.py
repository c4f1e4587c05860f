"""J5: a group revived behind a canary: with a failing consumer it halts, with a healthy one it completes."""

import re

import pytest
from playwright.sync_api import Page, expect

from dlqconsole.engine.models import DeadLetter
from dlqconsole.operations.models import Operation
from tests.e2e.journeys import Hand, assert_accessible
from tests.waiting import eventually

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def revive_group_behind_canary(page: Page, base: str) -> Hand:
    """Group → Revive… → Canary 5: what is clicked is counted."""
    page.goto(f"{base}/groups/")
    hand = Hand(page)
    hand.click(page.locator("a.group-title").first)
    hand.click(page.get_by_role("button", name="Revive 60"))
    page.locator("#confirm-reason").fill("the billing service is back")
    assert_accessible(page)
    page.locator('input[name="canary_watch_seconds"]').evaluate("field => { field.value = '5' }")
    hand.click(page.get_by_role("button", name="Canary 5 first"))
    page.wait_for_url(re.compile(r"/operations/\d+/"))
    return hand


def test_a_failing_consumer_halts_it_and_nothing_else_moved(signed_in, live_server, worker, consumer, letter):
    """Also: no retry loop when what was revived fails again during the run (negative probe)."""
    for number in range(60):
        letter(payload={"order_id": number, "do": "business"})
    worker()
    page = signed_in("operator")
    hand = revive_group_behind_canary(page, live_server.url)
    expect(page.locator("#op-status")).to_contain_text("Halted", timeout=60_000)
    assert hand.clicks <= 3
    operation = Operation.objects.get()
    assert (operation.done, operation.remaining) == (5, 55)
    expect(page.locator("#op-stages")).to_contain_text("not reached")
    assert DeadLetter.objects.filter(revive_count=0).count() == 55
    assert DeadLetter.objects.filter(revive_count=1).count() == 5
    # the probes first, and their new error with its share
    expect(page.locator("#op-items tbody tr")).to_have_count(5)
    expect(page.locator("#op-items")).to_contain_text("Failed again")
    page.get_by_role("link", name="5 failed again").click()
    expect(page.locator("#op-new-errors")).to_contain_text("5 of 5 (100\xa0%)")
    expect(page.locator("#op-items tbody tr")).to_have_count(5)
    assert_accessible(page)

    hand = Hand(page)
    hand.click(page.get_by_role("button", name="Probe 5 again"))
    expect(page.locator("#op-status")).to_contain_text("Halted", timeout=60_000)
    assert hand.clicks == 1
    operation.refresh_from_db()
    assert (operation.done, operation.remaining) == (10, 50)
    page.get_by_role("link", name="Go on with all 50").click()
    page.get_by_role("button", name="Go on with all 50").click()
    assert Operation.objects.get().status == "halted", "it asks for a reason"
    page.get_by_label(re.compile("^Why")).fill("they may fail")
    assert_accessible(page)
    page.goto(f"{live_server.url}/")
    expect(page.get_by_role("link", name=re.compile(rf"Look at operation {operation.pk} "))).to_be_visible()


def test_a_healthy_consumer_lets_it_ramp_to_the_end(signed_in, live_server, worker, consumer, letter):
    for number in range(60):
        letter(payload={"order_id": number})
    worker()
    page = signed_in("operator")
    revive_group_behind_canary(page, live_server.url)
    expect(page.locator("#op-status")).to_contain_text("Completed", timeout=90_000)
    eventually(lambda: DeadLetter.objects.filter(status="SUCCEEDED").count() == 60)
    page.reload()
    expect(page.locator("#op-stages")).to_contain_text("5 succeeded, 0 failed again")
    expect(page.locator("#op-tabs")).to_contain_text(re.compile(r"Succeeded\s+60"))
    assert_accessible(page)
