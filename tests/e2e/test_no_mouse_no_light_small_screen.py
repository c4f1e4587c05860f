"""J12: triage and a fix by keys alone in the dark, triage on a telephone and zoomed, and one's own clock."""

import re

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect

from dlqconsole.engine.models import DeadLetter, Message
from dlqconsole.operations.models import Operation
from dlqconsole.operations.work import run
from tests.accounts import actor_of
from tests.asking import ask_for
from tests.e2e.journeys import Hand, assert_accessible, many

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("no_worker"),
]

FITS = "document.documentElement.scrollWidth <= innerWidth"
FOCUS_IS_SEEN = """() => {
    const look = getComputedStyle(document.activeElement)
    return look.outlineStyle !== "none" && parseFloat(look.outlineWidth) >= 2
}"""
IS_DARK = """() => getComputedStyle(document.body).backgroundColor.match(/[\\d.]+/g).slice(0, 3)
    .every(part => Number(part) < 64)"""
# as assistive technology is told of it
PROGRESS = (
    """() => [...document.querySelectorAll("progress[aria-label]")].map(each => [each.value, each.max])"""
)
ADMIN = (
    "/admin/", "/admin/dlq_engine/deadletter/", "/admin/dlq_engine/deadletter/{letter}/change/",
    "/admin/dlq_engine/queue/", "/admin/dlq_operations/operation/", "/admin/auth/user/",
    "/admin/auth/user/{user}/change/", "/admin/auth/user/add/",
)  # fmt: skip
OF_ADMINISTRATORS = (
    "/rules/new", "/queues/new", "/queues/kept/", "/queues/kept/policy/", "/schedules/pause/",
    "/schedules/policies/new?event_type=a",
)  # fmt: skip


@pytest.fixture
def page(page: Page) -> Page:
    page.emulate_media(color_scheme="dark")
    return page


class Keys(Hand):
    """A hand that leaves the mouse alone, and sees in the dark where it is."""

    def press(self, key: str) -> None:
        """One key, when the page's scripts listen."""
        self.page.wait_for_load_state()
        super().press(key)

    def to_row(self) -> None:
        """``j``: the next row has the focus, and everybody sees it."""
        self.press("j")
        expect(self.page.locator("tr[data-row] a[data-open]:focus")).to_be_visible()
        assert self.page.evaluate(FOCUS_IS_SEEN)
        assert self.page.evaluate(IS_DARK)


def test_triage_and_a_fix_take_eight_keys_and_no_mouse(signed_in, live_server, letter):
    ids = many(letter, 3, error_reason="NoTotal: total is missing")
    page = signed_in("operator")
    page.goto(live_server.url)
    keys = Keys(page)
    keys.to_row()
    keys.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("NoTotal")
    keys.to_row()
    keys.press("Enter")
    expect(page).to_have_url(re.compile(f"/dead-letters/{ids[2]}/"))
    keys.press("j")
    expect(page).to_have_url(re.compile(f"/dead-letters/{ids[1]}/"))

    keys.press("e")
    payload = page.get_by_role("textbox", name="Payload")
    expect(payload).to_be_focused()
    assert page.evaluate(FOCUS_IS_SEEN)
    page.keyboard.press("Control+A")
    page.keyboard.type('{"order_id": 1, "total": 2}')
    keys.press("Control+Enter")
    expect(page.locator("ins")).to_contain_text('"total": 2')
    expect(page.get_by_label("Why?")).to_be_focused()
    page.keyboard.type("the total was missing")
    keys.press("Control+Enter")
    page.wait_for_url("**/operations/*/")
    operation = Operation.objects.get()
    assert (operation.kind, operation.ids, operation.reason) == ("revive", [ids[1]], "the total was missing")
    assert (keys.clicks, keys.keys) == (0, 8)

    page.evaluate("document.querySelector('[data-live]').dataset.live = '1'")
    run.run(operation.pk)
    DeadLetter.objects.filter(pk=ids[1]).update(status="SUCCEEDED")
    expect(page.locator("#announce")).to_have_text("100 percent", timeout=15_000)
    assert all(0 <= value <= most for value, most in page.evaluate(PROGRESS))
    assert_accessible(page)


@pytest.mark.parametrize(("width", "height"), [(390, 844), (640, 360)], ids=["telephone", "zoomed to 200 %"])
def test_triage_scrolls_to_no_side_and_hides_nothing(signed_in, live_server, letter, width, height):
    many(letter, 3, error_reason="Outage: shard " + "x" * 300)
    page = signed_in("viewer")
    page.set_viewport_size({"width": width, "height": height})
    page.goto(live_server.url)
    hand = Hand(page)
    assert page.evaluate(FITS)
    hand.click(page.locator("#ov-burning a.group-title").first)
    expect(page.get_by_role("heading", level=1)).to_contain_text("Outage")
    assert page.evaluate(FITS)
    hand.click(page.locator("[aria-labelledby=letters-title] a.group-title").first)
    newest = DeadLetter.objects.latest("created_at", "id")
    expect(page).to_have_url(re.compile(f"/dead-letters/{newest.pk}/"))
    assert page.evaluate(FITS)
    page.keyboard.press("j")
    expect(page).to_have_url(re.compile(f"/dead-letters/{newest.pk - 1}/"))
    assert hand.clicks == 2


class TestOwnClock:
    @pytest.fixture
    def browser_context_args(self, browser_context_args: dict[str, object]) -> dict[str, object]:
        return browser_context_args | {"timezone_id": "Asia/Shanghai"}

    def test_the_first_page_is_in_utc_and_the_next_by_the_browsers_clock(
        self, signed_in, live_server, letter
    ):
        one = letter(first_failure_at="2026-01-02T03:04:05Z")
        page = signed_in("viewer")
        page.goto(live_server.url)
        expect(page.locator("footer")).to_contain_text("Times: UTC;")
        page.goto(f"{live_server.url}/dead-letters/{one}/")
        expect(page.locator("footer")).to_contain_text("Times: Asia/Shanghai (UTC+8);")
        title = "2026-01-02 11:04:05 UTC+8 (2026-01-02 03:04:05 UTC)"
        expect(page.locator(f'time[title="{title}"]').first).to_be_visible()


def test_administrators_pages_and_the_sign_in_page_are_accessible(signed_in, live_server, letter):
    one = letter()
    Message.objects.create(queue="kept", payload={})
    page = signed_in("admin")
    User.objects.update(is_staff=True, is_superuser=True)
    ask_for("discard", actor=actor_of("admin"), ids=[one])
    for address in ADMIN:
        page.goto(live_server.url + address.format(letter=one, user=User.objects.get(username="admin").pk))
        expect(page.locator("#site-name")).to_be_visible()
        assert_accessible(page)
    for address in OF_ADMINISTRATORS:
        page.goto(live_server.url + address)
        expect(page.get_by_role("button").first).to_be_visible()
        assert_accessible(page)
    page.context.clear_cookies()
    page.goto(f"{live_server.url}/login/")
    assert_accessible(page)
