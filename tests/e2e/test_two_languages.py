"""J12: the console in 简体中文, by keys alone, on a small screen too."""

import re

import polib
import pytest
from playwright.sync_api import Page, expect

from dlqconsole.core import messages
from dlqconsole.engine.models import DeadLetter
from dlqconsole.runs.models import PipelineRun
from tests.asking import ask_for
from tests.e2e.conftest import PASSWORD
from tests.e2e.journeys import Hand, assert_accessible, many
from tools.messages import CATALOGUES

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("no_worker"),
]

BUDGET = 12
CHINESE = "简体中文"
HERE = "/groups/?sort=total"
FITS = "document.documentElement.scrollWidth <= innerWidth"
PAGES = (
    "/", "/dead-letters/", "/dead-letters/?q=status:PENDING", "/dead-letters/{letter}/", "/groups/",
    "/groups/{group}/", "/rules/", "/operations/", "/operations/{operation}/", "/queues/", "/queues/orders/",
    "/queues/orders/messages/", "/schedules/", "/reports/", "/reports/failures/", "/runs/", "/runs/{run}/",
    "/audit/", "/tokens/", "/handover/", "/owners/", "/nowhere/",
)  # fmt: skip
# what a person reads or hears, but for code and data, which have no language
WORDS = """() => {
    const told = ["title", "aria-label", "placeholder", "alt"]
    const isForeign = (node) => node.closest("code, pre, kbd, samp, script, style, .mono, [lang]:not(html)")
    const found = []
    for (const each of document.querySelectorAll("body, body *")) {
        if (isForeign(each)) continue
        for (const node of each.childNodes) if (node.nodeType === Node.TEXT_NODE) found.push(node.data)
        for (const name of told) if (each.hasAttribute(name)) found.push(each.getAttribute(name))
    }
    return [...new Set(found.map(text => text.replace(/\\s+/g, " ").trim()).filter(Boolean))]
}"""
_VALUE = re.compile(r"%\\\(\w+\\\)s|\\\{[^{}]*\\\}")


@pytest.fixture
def addresses(letter) -> list[str]:
    """The main pages, with something on each."""
    one, other = many(letter, 2, error_reason="NoTotal: the total was left out", queue="orders")
    messages.send("orders", "{}")
    operation = ask_for("discard", actor="user:ann", expected=1, ids=[other])
    group = DeadLetter.objects.get(pk=one).group_id
    run = PipelineRun.objects.create(kind="ingest", status="completed", counts={"read": 1, "enriched": 1})
    names = {"letter": one, "group": group, "operation": operation.pk, "run": run.pk}
    return [page.format(**names) for page in PAGES]


def english() -> list[re.Pattern[str]]:
    """The texts that have a translation: any of them on a Chinese page was forgotten there."""
    patterns = []
    for entry in polib.pofile(str(CATALOGUES / "zh_Hans/LC_MESSAGES/django.po")):
        for text in (entry.msgid, entry.msgid_plural):
            pattern = _VALUE.sub(".+", re.escape(text).replace("%%", "%"))
            if re.search("[A-Za-z]{2}", pattern.replace(".+", "")) and text not in entry.msgstr:
                patterns.append(re.compile(pattern))
    return patterns


def forgotten(page: Page, texts: list[re.Pattern[str]]) -> list[str]:
    # the name of who is signed in, and what an operation was asked for: both are stored
    said = set(page.evaluate(WORDS)) - {"operator", f"dead letter {DeadLetter.objects.latest('pk').pk}"}
    return sorted(each for each in said if any(text.fullmatch(each) for text in texts))


def choose(hand: Hand, language: str) -> None:
    """From anywhere to the menu beside the search field, and to the language in it."""
    chosen = hand.page.get_by_role("button", name=language, exact=True)
    for key in ("/", "Tab", "Tab", "Enter"):
        hand.press(key)
    expect(chosen).to_be_visible()
    while not chosen.evaluate("button => button === document.activeElement"):
        assert hand.keys < BUDGET
        hand.press("Tab")
    hand.press("Enter")


def test_who_signs_in_chooses_chinese_by_keys_and_english_again(sign_in, live_server, addresses):
    page = sign_in("operator")
    page.goto(live_server.url + HERE)
    hand = Hand(page)
    choose(hand, CHINESE)
    expect(page.locator("html")).to_have_attribute("lang", "zh-hans")
    expect(page).to_have_url(live_server.url + HERE)
    assert (hand.clicks, hand.keys <= BUDGET) == (0, True)

    texts = english()
    found = {}
    for address in addresses:
        page.goto(live_server.url + address)
        expect(page.locator("html")).to_have_attribute("lang", "zh-hans")
        if words := forgotten(page, texts):
            found[address] = words
        assert_accessible(page)
    assert found == {}

    page.goto(live_server.url + HERE)
    hand = Hand(page)
    choose(hand, "English")
    expect(page.locator("html")).to_have_attribute("lang", "en")
    expect(page.locator(".nav [aria-current]")).to_have_text("Groups")
    assert (hand.clicks, hand.keys <= BUDGET) == (0, True)


def test_the_sign_in_page_offers_both_languages(live_server, page, addresses):
    page.goto(live_server.url)
    hand = Hand(page)
    expect(page.get_by_label("User name")).to_be_focused()
    for key in ("Tab", "Tab", "Tab", "Tab", "Enter"):
        hand.press(key)
    expect(page.get_by_role("heading", name="登录")).to_be_visible()
    assert forgotten(page, english()) == []
    assert_accessible(page)
    page.get_by_label("用户名").fill("nobody")
    page.get_by_label("密码").fill(PASSWORD)
    page.get_by_role("button", name="登录").click()
    expect(page.get_by_role("alert")).to_be_visible()


def test_no_chinese_page_scrolls_sideways_on_a_telephone(signed_in, live_server, addresses):
    page = signed_in("operator")
    page.context.add_cookies([{"name": "dlq_language", "value": "zh-hans", "url": live_server.url}])
    page.set_viewport_size({"width": 390, "height": 844})
    for address in addresses:
        page.goto(live_server.url + address)
        expect(page.locator("html")).to_have_attribute("lang", "zh-hans")
        assert page.evaluate(FITS), address


class TestWithoutJavaScript:
    @pytest.fixture
    def browser_context_args(self, browser_context_args: dict[str, object]) -> dict[str, object]:
        return browser_context_args | {"java_script_enabled": False}

    def test_the_choice_works(self, signed_in, live_server, addresses):
        page = signed_in("viewer")
        page.goto(live_server.url + addresses[2])
        page.locator(".topbar summary").click()
        page.get_by_role("button", name=CHINESE).click()
        expect(page.get_by_role("heading", level=1)).to_have_text("死信")
        expect(page).to_have_url(live_server.url + addresses[2])
