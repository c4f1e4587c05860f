"""J11: a viewer looks, two people do not get into each other's way, an administrator reads what was done."""

import re

import pytest
from django.conf import settings as django_settings
from django.db import connection
from playwright.sync_api import Browser, Page, expect

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


@pytest.fixture
def two(browser: Browser, live_server) -> tuple[Page, Page]:
    """The pages of an operator and a maintainer, each in a browser of their own; the test lets time pass."""
    pages = []
    for role in ("operator", "maintainer"):
        context = browser.new_context()
        cookie = client_of(role).cookies[django_settings.SESSION_COOKIE_NAME]
        context.add_cookies([{"name": cookie.key, "value": cookie.value, "url": live_server.url}])
        pages.append(context.new_page())
        pages[-1].clock.install()
    yield tuple(pages)
    for page in pages:
        page.context.close()


def test_two_see_each_other_within_one_poll_and_who_leaves_is_named_no_more(two, live_server, letter):
    letter_id = letter()
    ours, theirs = two
    here, there = (page.locator(".visitors") for page in two)
    group_id = DeadLetter.objects.values_list("group_id", flat=True).get()
    for path in (f"/groups/{group_id}/", f"/dead-letters/{letter_id}/", f"/dead-letters/{letter_id}/edit/"):
        ours.goto(live_server.url + path)
        theirs.goto(live_server.url + path)
        expect(there).to_contain_text("operator")
        assert_accessible(theirs)
        place = ours.locator("h1").bounding_box(), ours.locator("main").bounding_box()
        ours.clock.run_for(11_000)
        expect(here).to_contain_text("maintainer")
        assert place == (ours.locator("h1").bounding_box(), ours.locator("main").bounding_box())
    expect(here).to_contain_text("Editing it now: maintainer")

    # what is typed and its cursor stay, and so does who is about to act in a dialog
    ours.get_by_role("textbox", name="Payload").fill("typed")
    theirs.goto(f"{live_server.url}/dead-letters/{letter_id}/")
    theirs.get_by_role("button", name="Discard").click()
    expect(theirs.locator("#confirm-reason")).to_be_focused()
    leave_for_a_while()
    with theirs.expect_response(lambda answer: "x-live" in answer.request.headers):
        theirs.clock.run_for(11_000)
    ours.clock.run_for(11_000)
    expect(here).to_contain_text("Also here: maintainer")
    expect(ours.get_by_role("textbox", name="Payload")).to_have_value("typed")
    expect(ours.get_by_role("textbox", name="Payload")).to_be_focused()

    theirs.close()
    leave_for_a_while()
    ours.clock.run_for(11_000)
    expect(here).to_have_count(0)


def leave_for_a_while() -> None:
    """Whoever asks no more is here no more: by the database's clock, half a minute later."""
    with connection.cursor() as cursor:
        cursor.execute("UPDATE page_visits SET seen_at = seen_at - interval '31 seconds'")
