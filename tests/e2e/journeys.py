"""What the journeys share: a person who counts their clicks, and failures to click through."""

from collections.abc import Callable

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page

# half a megabyte: a page is given it once, for all that it will show
AXE = Axe().axe_script
# What breaks a rule has the rule's impact: what nobody would be told of is not looked for.
VIOLATIONS = """async options => {
    const mild = axe._audit.rules.filter(rule => ["minor", "moderate"].includes(rule.impact))
    const rules = Object.fromEntries(mild.map(rule => [rule.id, {enabled: false}]))
    return (await axe.run(document, {rules, ...options})).violations
}"""


class Hand:
    """The pointer and the keyboard of one person: it counts clicks and keys; what is typed is free."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.clicks = self.keys = 0

    def click(self, place: Locator, **how: object) -> None:
        """One click there."""
        place.click(**how)  # type: ignore[arg-type]
        self.clicks += 1

    def press(self, key: str) -> None:
        """One key, or several at once."""
        self.page.keyboard.press(key)
        self.keys += 1


def assert_accessible(page: Page, *rules: str) -> None:
    """axe finds nothing serious on the page as it stands; ``rules``: only these."""
    only = {"runOnly": list(rules)} if rules else {}
    if not page.evaluate("'axe' in window"):
        page.add_init_script(AXE)
        page.evaluate(AXE)
    violations = page.evaluate(VIOLATIONS, {"resultTypes": ["violations"]} | only)
    serious = [found for found in violations if found["impact"] in ("serious", "critical")]
    assert not serious, [(found["id"], found["nodes"][0]["html"]) for found in serious]


def many(letter: Callable[..., int], number: int, **columns: object) -> list[int]:
    """So many dead letters of the sample handlers' orders."""
    return [letter(payload={"order_id": place}, **columns) for place in range(number)]
