"""Every page runs its modules under the strict Content-Security-Policy, and nothing complains."""

from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from dlqconsole.engine.models import DeadLetter
from dlqconsole.reports.models import Report, ReportRow
from tests.of_features import all_of

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PAGES = (
    "/", "/dead-letters/", "/dead-letters/{letter}/", "/dead-letters/{letter}/edit/", "/groups/",
    "/operations/", "/queues/", "/queues/new", "/rules/", "/schedules/",
    "/reports/", "/audit/", "/tokens/", *all_of("PAGES"), *all_of("FORMS"),
)  # fmt: skip
# what Chromium calls a request that nobody waits for any more
LEFT = "net::ERR_ABORTED"


@pytest.fixture
def complaints(page: Page) -> list[str]:
    """What the browser's console, the policy or a script complained of."""
    heard: list[str] = []
    page.on("console", lambda message: heard.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: heard.append(str(error)))
    # but for what a page had not loaded yet when the next was asked for
    page.on("requestfailed", lambda request: request.failure == LEFT or heard.append(request.url))
    return heard


def test_no_page_complains_and_each_runs_its_modules(live_server, sign_in, letter, complaints):
    number = letter(payload={"order_id": 1}, error_stacktrace='Traceback\n  File "/lib/python3/x.py"\n')
    page = sign_in("operator")
    for address in PAGES:
        page.goto(live_server.url + address.format(letter=number, group=DeadLetter.objects.get().group_id))
        page.keyboard.press("Escape")  # out of a field that has the cursor
        page.keyboard.press("?")
        expect(page.locator("#keys")).to_be_visible()
        page.keyboard.press("Escape")
    assert complaints == []


def test_a_report_draws_its_chart(live_server, signed_in, complaints):
    report = Report.objects.create(name="daily", title="Orders", keys=[], metrics={"orders": "count"})
    for ago in (0, 1):
        day = timezone.now().date() - timedelta(days=ago)
        ReportRow.objects.create(report=report, day=day, key={}, figures={"orders": 12})
    page = signed_in("viewer")
    page.goto(f"{live_server.url}/reports/daily/")
    expect(page.locator(".chart canvas")).to_be_visible()
    assert complaints == []


def test_who_types_stays_signed_in(live_server, signed_in, letter):
    """Half an hour in one form asks the server nothing by itself; the page says that somebody is there."""
    number = letter(payload={"order_id": 1})
    page = signed_in("operator")
    page.clock.install()
    page.goto(f"{live_server.url}/dead-letters/{number}/edit/")
    page.clock.fast_forward(61_000)
    with page.expect_request(f"{live_server.url}/login/") as asked:
        page.locator("textarea").first.press_sequentially(" ")
    assert asked.value.method == "HEAD"
    assert "x-live" not in asked.value.headers
