"""J7: a slow revive is cancelled and undone; what was pulled back and what was sent add up."""

import re

import pytest
from playwright.sync_api import expect

from dlqconsole.engine.models import DeadLetter, Message
from dlqconsole.operations.models import Operation
from tests.e2e.journeys import Hand, assert_accessible, many
from tests.waiting import as_soon_as

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_a_cancelled_revive_is_undone_with_two_clicks(signed_in, live_server, worker, letter):
    """Rule 6: what was done, pulled back and left alone is told apart, and adds up to what was selected."""
    many(letter, 400)
    worker()
    page = signed_in("operator")
    page.goto(f"{live_server.url}/dead-letters/?type=order.created")
    page.get_by_label("all 400 matching").check()
    page.get_by_role("button", name="Revive 400").click()
    page.get_by_text("Options", exact=True).click()
    page.get_by_label(re.compile("^Rate")).fill("20")
    page.get_by_label(re.compile("^Why")).fill("too early?")
    # the estimate follows the rate, and nothing that was typed is lost
    expect(page.locator("#confirm-takes")).to_contain_text("at least 20 s at this rate")
    expect(page.get_by_label(re.compile("^Why"))).to_have_value("too early?")
    page.get_by_role("button", name="Revive 400").last.click()
    page.wait_for_url(re.compile(r"/operations/\d+/"))
    operation = Operation.objects.get()
    as_soon_as(lambda: Operation.objects.get(pk=operation.pk).done >= 20)

    hand = Hand(page)
    hand.click(page.get_by_role("button", name="Cancel the rest"))
    expect(page.locator("#op-status")).to_contain_text("Cancelled", timeout=15_000)
    operation.refresh_from_db()
    moved = operation.done
    assert 0 < moved < 400
    assert_accessible(page)
    hand.click(page.get_by_role("button", name=f"Undo {moved}"))
    page.wait_for_url(lambda url: not url.endswith(f"/{operation.pk}/"))
    expect(page.locator("#op-status")).to_contain_text("Completed", timeout=30_000)
    assert hand.clicks <= 2

    undone = Operation.objects.get(kind="undo")
    # held back in their window, none was taken: all come back, not the last page
    assert (undone.selected, undone.done, undone.skipped) == (moved, moved, 0)
    assert DeadLetter.objects.filter(status="PENDING").count() == 400
    assert not Message.objects.exists()
    page.goto(f"{live_server.url}/operations/{operation.pk}/")
    expect(page.locator("#op-notices")).to_contain_text(f"{moved} pulled back, 0 already taken")
    assert_accessible(page)
