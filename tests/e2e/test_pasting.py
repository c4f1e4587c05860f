"""J2 in a real browser: the search box has one line, and a whole stack trace pasted there opens its group."""

import pytest

from dlqconsole.engine.models import DeadLetter

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

TRACE = """Traceback (most recent call last):
  File "/srv/shop/consumer.py", line 41, in handle
    charge(order)
  File "/srv/shop/billing.py", line 7, in charge
    raise error
"""
REASON = "TimeoutError: no answer from shard 17 within 30 s"


@pytest.mark.parametrize("text", [TRACE + REASON, REASON], ids=["all of it", "its last line"])
def test_a_trace_that_is_pasted_opens_its_group(signed_in, live_server, letter, text):
    group = DeadLetter.objects.get(pk=letter(error_reason=REASON, error_stacktrace=TRACE)).group_id
    page = signed_in("viewer")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=live_server.url)

    def paste() -> None:
        page.goto(f"{live_server.url}/queues/")
        page.evaluate("text => navigator.clipboard.writeText(text)", text)
        page.keyboard.press("/")
        page.keyboard.press("ControlOrMeta+v")

    paste()
    page.keyboard.press("Enter")
    page.wait_for_url(f"{live_server.url}/groups/{group}/")

    paste()
    page.keyboard.type(", and what somebody asks beside it")
    page.keyboard.press("Enter")
    page.wait_for_url(f"{live_server.url}/dead-letters/?q={text.split()[0].strip(':')}*")
