"""J2 in a real browser, while events pour in: a pasted id opens its dead letter, and Back leads back."""

import threading

import psycopg
import pytest
from django.db import connection

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


@pytest.fixture
def pouring(transactional_db):
    """Some hundred dead letters a second, until the test ends."""
    stop = threading.Event()
    settings = connection.settings_dict
    target = psycopg.conninfo.make_conninfo(
        host=settings["HOST"], port=settings["PORT"], user=settings["USER"], password=settings["PASSWORD"],
        dbname=settings["NAME"],
    )  # fmt: skip

    def pour() -> None:
        with psycopg.connect(target, autocommit=True) as link:
            while not stop.wait(0.05):
                link.execute(
                    "INSERT INTO dlq_events (event_type, error_reason, payload)"
                    " SELECT 'order.made', 'Down: ' || n, '{}' FROM generate_series(1, 20) n"
                )

    thread = threading.Thread(target=pour)
    thread.start()
    yield
    stop.set()
    thread.join()


def test_what_is_pasted_opens_and_back_restores_the_list(signed_in, live_server, letter, pouring):
    number = letter(
        "order.paid", source_key="order-77/ä", headers=f'{{"traceparent": "00-{TRACE}-00f067aa0ba902b7-01"}}'
    )
    page = signed_in("viewer")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=live_server.url)

    for text in ("order-77/ä", TRACE):
        page.goto(f"{live_server.url}/dead-letters/?q=type:order.* -status:DISCARDED")
        page.evaluate("window.scrollTo(0, 300)")
        page.evaluate("text => navigator.clipboard.writeText(text)", text)
        page.keyboard.press("/")
        page.keyboard.press("ControlOrMeta+v")
        page.keyboard.press("Enter")
        page.wait_for_url(f"{live_server.url}/dead-letters/{number}/**")
        page.reload()
        page.get_by_role("heading", name=str(number)).first.wait_for()
        page.go_back()
        page.wait_for_url("**/dead-letters/?q=*")
        assert "-status:DISCARDED" in page.locator("#f-q").input_value()


def test_the_box_suggests_by_keys_and_fields_write_into_it(signed_in, live_server, letter):
    letter("order.made"), letter("order.paid", status="DISCARDED"), letter("mail")
    page = signed_in("viewer")
    page.goto(f"{live_server.url}/dead-letters/")
    box = page.locator("#f-q")
    options = page.get_by_role("option")
    box.press_sequentially("ty")
    options.filter(has_text="type:").wait_for()
    box.press("ArrowDown")
    box.press("Enter")  # takes the key, and its values come
    options.filter(has_text="order.made").wait_for()
    box.press_sequentially("order.p")
    options.filter(has_text="order.paid").wait_for()
    box.press("Escape")
    assert options.count() == 0 or not options.first.is_visible()
    assert box.input_value() == "type:order.p"
    box.press("ArrowDown")
    options.filter(has_text="order.paid").wait_for()
    box.press("ArrowDown")
    box.press("Enter")
    assert box.input_value() == "type:order.paid "
    box.press("Enter")
    page.get_by_text("1 matching", exact=True).wait_for()

    page.get_by_role("combobox", name="Event type").fill("order.made")
    page.get_by_role("button", name="Filter", exact=True).click()
    page.wait_for_url("**/dead-letters/?q=type*order.made")
    assert page.locator("#f-q").input_value() == "type:order.made"

    page.locator("#f-q").fill("stauts:PENDING")
    page.locator("#f-q").press("Enter")
    page.get_by_text("did you mean status?").wait_for()
    assert page.locator(".caret").inner_text() == "stauts:PENDING\n^"
