"""Take the documentation's screenshots from a running demo.

    .venv/bin/python docs/take_screenshots.py http://127.0.0.1:8000 PASSWORD

Writes docs/screenshots/*.png. What is on them is what the demo holds: revive and discard something first.
"""

import argparse
import os
from collections.abc import Iterable
from pathlib import Path
from shutil import which

from playwright.sync_api import Browser, Page, sync_playwright
from repack_png import repack

FOLDER = Path(__file__).parent / "screenshots"
DESKTOP, PHONE = (1440, 900), (390, 844)
LETTERS = "/dead-letters/?reason=PlaneUnknown"
BROKEN = "/dead-letters/?type=weather.observed&category=PERMANENT"
PAGES = {
    "overview": "/",
    "dead-letters": LETTERS,
    "dead-letter": "",  # the newest that breaks its schema
    "groups": "/groups/",
    "operation": "",  # the newest that revived something
    "queues": "/queues/",
    "schedules": "/schedules/",
    "report": "/reports/daily_flights/?metric=on_time_share",
}
ON_A_PHONE = ("overview", "dead-letters", "dead-letter")


def main() -> None:
    """Both themes on a desktop, the light one on a phone."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("base", help="where the demo answers")
    parser.add_argument("password", help="of its users")
    given = parser.parse_args()
    base = given.base.rstrip("/")
    FOLDER.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium())
        for theme in ("light", "dark"):
            page = sign_in(browser, base, given.password, theme, DESKTOP)
            take(page, base, PAGES, theme)
        page = sign_in(browser, base, given.password, "light", PHONE)
        take(page, base, ON_A_PHONE, "phone")
        browser.close()


def chromium() -> str | None:
    """The one that tests drive."""
    return os.environ.get("DLQ_CHROMIUM") or which("chromium-headless-shell") or which("chromium")


def sign_in(browser: Browser, base: str, password: str, theme: str, size: tuple[int, int]) -> Page:
    """A page of its own, signed in as the operator."""
    width, height = size
    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=theme)
    page.goto(f"{base}/login/")
    page.get_by_label("User name").fill("operator")
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(f"{base}/")
    return page


def take(page: Page, base: str, names: Iterable[str], suffix: str) -> None:
    """One picture a name, when everything on it has been drawn."""
    for name in names:
        page.goto(base + (PAGES[name] or found(page, base, name)))
        if name == "dead-letters":
            tick(page)
        page.evaluate("document.fonts.ready")
        page.wait_for_timeout(500)
        path = FOLDER / f"{name}-{suffix}.png"
        page.screenshot(path=path)
        repack(path)


def found(page: Page, base: str, name: str) -> str:
    """The address of a row whose number nobody knows beforehand."""
    if name == "dead-letter":
        page.goto(base + BROKEN)
        return page.locator("tr[data-row] a[data-open]").first.get_attribute("href") or BROKEN
    page.goto(f"{base}/operations/")
    row = page.locator("tr[data-row] a[data-open]", has_text="Revive")
    return row.first.get_attribute("href") or "/operations/"


def tick(page: Page) -> None:
    """A few rows, so that the bulk buttons show their counts."""
    for box in page.locator('input[name="ids"]').all()[1:4]:
        box.check()
    page.mouse.move(0, 0)


if __name__ == "__main__":
    main()
