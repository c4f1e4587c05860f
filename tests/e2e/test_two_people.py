"""J11: a viewer looks, two people do not get into each other's way, an administrator reads what was done."""

import re

import pytest
from playwright.sync_api import expect

from dlqconsole.engine.models import DeadLetter, FailureGroup
from dlqconsole.operations.models import Operation
from tests.conftest import signed_in as client_of
from tests.e2e.journeys import Hand, assert_accessible, many

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_a_viewer_sees_why_and_an_operator_sees_who_works_on_it(signed_in, live_server, letter, worker):
    many(letter, 3)
    group_id = DeadLetter.objects.values_list("group_id", flat=True).first()
    FailureGroup.objects.update(note="do not revive before 06:00")
    viewer = client_of("viewer")
    page = signed_in("operator")
    page.goto(f"{live_server.url}/groups/")
    hand = Hand(page)
    hand.click(page.locator("a.group-title").first)
    hand.click(page.get_by_role("button", name="Claim"))
    expect(page.get_by_text("You are working on this until")).to_be_visible()
    assert_accessible(page)
    worker()

    # the other operator
    page.context.clear_cookies()
    signed_in("admin")
    page.goto(f"{live_server.url}/groups/{group_id}/")
    expect(page.locator(".note", has_text="is working on")).to_contain_text("operator is working")
    hand.click(page.get_by_role("button", name="Revive 3"))
    dialog = page.locator(f'[data-remark="{group_id}"]')
    expect(dialog).to_contain_text("operator is working on this until")
    expect(dialog).to_contain_text("do not revive before 06:00")
    assert_accessible(page)
    page.locator("#confirm-reason").fill("agreed by phone")
    hand.click(page.get_by_role("button", name="Revive 3").last)
    page.wait_for_url(re.compile(r"/operations/\d+/"))
    expect(page.locator("#op-status")).to_contain_text("Handed over", timeout=30_000)
    # what an administrator reads of it: who, why, over what, and what became of each
    main = page.locator("main")
    for words in ("admin", "agreed by phone", "group is"):
        expect(main).to_contain_text(words)
    expect(page.locator("#op-items tbody tr")).to_have_count(3)
    assert hand.clicks <= 5

    operation = Operation.objects.get()
    form = {"kind": "discard", "scope": "all", "filter": f"group={group_id}", "reason": "mine"}
    for path in ("/operations/", "/dead-letters/operations/", f"/operations/{operation.pk}/undo/"):
        assert viewer.post(path, form).status_code == 403
    looked = viewer.get(f"/groups/{group_id}/").content.decode()
    assert looked.count("Viewers may look but not change.") >= 4
