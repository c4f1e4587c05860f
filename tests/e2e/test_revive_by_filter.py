"""The main journey in a real browser: sign in, filter, select all matching, revive, progress, done."""

import os
import re
import signal
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import ConsoleMessage, Page, expect

from dlqconsole.engine.models import AuditEntry, DeadLetter, EnrichedEvent, Message
from dlqconsole.operations.kinds import revive
from dlqconsole.operations.models import Operation
from dlqconsole.runs.models import PipelineRun
from tests.accounts import actor_of
from tests.e2e.journeys import Hand, assert_accessible
from tests.of_features import all_of, of_features
from tests.waiting import as_soon_as, eventually

COLOURS_HAVE_CHANGED = """async () => {
    await new Promise(requestAnimationFrame)
    const changes = document.getAnimations().filter(one => one instanceof CSSTransition)
    await Promise.all(changes.map(one => one.finished))
}"""
FITS = "document.documentElement.scrollWidth <= innerWidth"

# a consumer may have handled all of it before the page asks again
OVER = re.compile("Handed over|Completed")

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def complaints(page: Page) -> list[str]:
    """What the browser itself objects to: script errors, blocked styles, missing files."""
    found: list[str] = []

    def note(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            found.append(message.text)

    page.on("console", note)
    page.on("pageerror", lambda error: found.append(str(error)))
    return found


def test_all_matching_dead_letters_are_revived_and_heal(
    sign_in, live_server, worker, consumer, letter, complaints, monkeypatch
):
    monkeypatch.setattr(revive, "USUAL_UNDO", 1)  # what the form proposes to hold them back
    for number in range(120):
        letter(error_reason=f"PlaneUnknown: tailnum N{number}MQ is not in the planes table")
    for number in range(15):
        letter(error_reason=f"BillingAway: billing answered {500 + number}")
    worker()
    page = sign_in("operator")
    assert_accessible(page)

    page.get_by_role("link", name="Dead letters", exact=True).click()
    page.get_by_label("Reason contains").fill("PlaneUnknown")
    page.get_by_role("button", name="Filter", exact=True).click()
    expect(page.locator("#count-words")).to_have_text("120 matching")
    expect(page).to_have_url(re.compile("q=reason%3APlaneUnknown"))
    assert_accessible(page)

    page.get_by_label("all 120 matching").check()
    page.get_by_role("button", name="Revive 120").click()
    page.get_by_label(re.compile("^Why")).fill("the registry is complete now")
    assert_accessible(page)
    page.get_by_role("button", name="Revive 120").last.click()

    page.wait_for_url(re.compile(r"/operations/\d+/"))
    expect(page.locator("#op-status")).to_contain_text(OVER, timeout=60_000)
    assert_accessible(page)
    operation = Operation.objects.get()
    assert (operation.selected, operation.done, operation.remaining) == (120, 120, 0)
    assert operation.reason == "the registry is complete now"
    assert AuditEntry.objects.filter(operation_id=operation.pk, actor=actor_of("operator")).exists()

    # the consumer handles the messages, and the dead letters heal by themselves
    eventually(lambda: DeadLetter.objects.filter(status="SUCCEEDED").count() == 120)
    assert EnrichedEvent.objects.count() == 120
    assert DeadLetter.objects.exclude(status="SUCCEEDED").count() == 15
    assert complaints == []


def test_a_slow_revive_goes_on_after_its_worker_was_killed(
    signed_in, live_server, worker, letter, monkeypatch
):
    """J6: 200 a second, killed midway: it resumes, each is sent once, later arrivals are a chip.

    Rules 2, 5 and 7 with it: the scope is the server's, the work a row, a refresh loses nothing.
    """
    monkeypatch.setattr(revive, "USUAL_UNDO", 0)
    for number in range(500):
        letter(error_reason=f"PlaneUnknown: tailnum N{number}MQ is not in the planes table")
    first = worker(DLQ_OPERATION_PAGE="50", DLQ_LEASE_SECONDS="3")
    page = signed_in("operator")
    hand = Hand(page)
    since = (datetime.now(UTC) - timedelta(days=1)).date().isoformat()
    page.goto(f"{live_server.url}/dead-letters/?type=order.created&reason=PlaneUnknown&since={since}")
    hand.click(page.locator("[data-select-page]"))
    expect(page.get_by_text("50 on this page", exact=True)).to_be_visible()
    hand.click(page.locator("label", has_text="all 500 matching"))
    hand.click(page.get_by_role("button", name="Revive 500"))
    hand.click(page.get_by_text("Options", exact=True))
    page.get_by_label(re.compile("^Rate")).fill("40")
    page.locator("#confirm-reason").fill("the registry is complete now")
    hand.click(page.get_by_role("button", name="Revive 500").last)
    assert hand.clicks <= 6
    page.wait_for_url(re.compile(r"/operations/\d+/"))
    operation = Operation.objects.get()
    as_soon_as(lambda: 0 < Operation.objects.get(pk=operation.pk).done < 450)
    os.killpg(first.pid, signal.SIGKILL)  # it leads its own session; its children work
    letter(error_reason="PlaneUnknown: tailnum LATEMQ is not in the planes table")
    expect(page.locator("#op-later")).to_contain_text("1 that came later matches too", timeout=20_000)
    page.reload()
    assert Operation.objects.get().selected == 500

    worker(DLQ_OPERATION_PAGE="200", DLQ_LEASE_SECONDS="3")
    Operation.objects.update(rate=None)  # the slow part is over
    expect(page.locator("#op-status")).to_contain_text(OVER, timeout=90_000)
    operation.refresh_from_db()
    assert (operation.selected, operation.done, operation.remaining) == (500, 500, 0)
    assert Message.objects.count() == 500
    assert Message.objects.values("dlq_event_id").distinct().count() == 500
    assert DeadLetter.objects.get(status="PENDING").error_reason.startswith("PlaneUnknown: tailnum LATE")


def test_a_refresh_takes_no_options_and_no_focus_away(signed_in, live_server, letter):
    """Rule 7: what is typed, unfolded and ticked outlives the live updates."""
    one = letter()
    page = signed_in("operator")
    page.goto(f"{live_server.url}/dead-letters/")
    page.get_by_label(f"Select {one}").check()
    page.evaluate("document.querySelector('#letters').dataset.live = '1'")
    letter()
    expect(page.locator("#arrivals")).to_be_visible(timeout=10_000)
    expect(page.get_by_label(f"Select {one}")).to_be_checked()
    page.get_by_text("More", exact=True).click()
    page.get_by_role("button", name="Re-classify… 1").click()
    page.locator("#confirm-reason").fill("half a sentence")
    page.wait_for_timeout(2500)
    expect(page.locator("#confirm-reason")).to_have_value("half a sentence")
    expect(page.locator("#confirm-reason")).to_be_focused()


def test_the_same_confirmation_sent_twice_is_one_operation(signed_in, live_server, letter):
    letter()
    page = signed_in("operator")
    page.goto(f"{live_server.url}/dead-letters/")
    page.get_by_label("all 1 matching").check()
    page.get_by_role("button", name="Revive 1").click()
    page.get_by_label(re.compile("^Why")).fill("once is enough")
    page.get_by_role("button", name="Revive 1").last.dblclick()
    page.wait_for_url(re.compile(r"/operations/\d+/"))
    assert Operation.objects.count() == 1


def test_a_viewer_sees_the_buttons_and_why_they_are_off(signed_in, live_server, letter):
    letter()
    page = signed_in("viewer")
    page.goto(f"{live_server.url}/dead-letters/")
    expect(page.get_by_role("button", name="Revive")).to_be_disabled()
    assert "may look but not change" in page.content()


def test_every_page_is_accessible_and_fits(signed_in, live_server, letter, complaints):
    """From a telephone to a desk, or back. In the dark only colours differ, and those not by width."""
    long = letter(error_reason="TooLong: " + "x" * 3000, event_type="t" * 255, payload={"a": "y" * 2000})
    letter(error_reason="<script>alert(1)</script>\u202e")
    page = signed_in("operator")
    group = DeadLetter.objects.get(pk=long).group_id
    failed = PipelineRun.objects.create(kind="report", status="failed", message="m" * 300, log="x" * 2000).pk
    running = PipelineRun.objects.create(kind="ingest", subject="/" + "d" * 200, total=9, done=3).pk
    paths = [
        "/runs/", f"/runs/{failed}/", f"/runs/{running}/", "/runs/new/report/",
        *(address.format(group=group, letter=long) for address in all_of("PAGES")),
        "/", "/dead-letters/", f"/dead-letters/{long}/", f"/dead-letters/{long}/edit/",
        f"/dead-letters/{long}/versions/", "/dead-letters/?status=LOST", "/dead-letters/?grouping=group",
        "/groups/", "/operations/",
        "/queues/", "/owners/", "/handover/",
        "/schedules/", "/reports/", "/audit/", "/tokens/", "/no-such-page/",
        f"/groups/{group}/", "/rules/",
    ]  # fmt: skip
    for wide_pages in of_features("wide_pages"):
        paths += wide_pages(actor_of("operator"))
    waiting = Message.objects.create(queue="kept", payload={"text": "z" * 2000}).pk
    paths += [f"/queues/kept/messages/{part}" for part in ("", f"{waiting}/", f"{waiting}/delete/")]
    widths = (390, 1440)
    for path in paths:
        page.emulate_media(color_scheme="light")
        page.set_viewport_size({"width": widths[0], "height": 900})
        page.goto(live_server.url + path)
        for width in widths:
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate(FITS), f"{path} scrolls sideways at {width}"
            assert_accessible(page)
        page.emulate_media(color_scheme="dark")
        page.evaluate(COLOURS_HAVE_CHANGED)
        assert_accessible(page, "color-contrast")
        widths = widths[::-1]
    assert [text for text in complaints if "404" not in text and "400" not in text] == []
