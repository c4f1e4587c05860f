"""In the bar on top of each page nothing lies over anything else, on screens of all usual widths."""

import pytest

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

WIDTHS = (390, 768, 1024, 1280, 1366, 1440, 1600, 1601, 1728, 1729, 1920)
OVERLAPS = """() => {
    const parts = '.topbar .brand, .topbar li > a, .topbar .jump, .topbar-tools';
    const boxes = [...document.querySelectorAll(parts)]
        .map(part => [part.textContent.trim() || part.className, part.getBoundingClientRect()]);
    const apart = (a, b) => a.right <= b.left + 1 || b.right <= a.left + 1
        || a.bottom <= b.top + 1 || b.bottom <= a.top + 1;
    return boxes.flatMap(([name, box], number) => boxes.slice(number + 1)
        .filter(([, other]) => !apart(box, other)).map(([other]) => `${name} and ${other}`));
}"""


def test_nothing_lies_over_anything_else(signed_in, live_server):
    page = signed_in("operator")
    page.goto(f"{live_server.url}/operations/")
    found = {}
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 600})
        found[width] = page.evaluate(OVERLAPS)
    assert {width: pairs for width, pairs in found.items() if pairs} == {}
