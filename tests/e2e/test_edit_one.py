"""J4 in a real browser: one is edited, invalid JSON refused, the change seen, then revived."""

import pytest
from playwright.sync_api import expect

from dlqconsole.engine.dead_letters import editing
from dlqconsole.engine.models import AuditEntry, DeadLetter, PayloadVersion
from dlqconsole.operations.models import Operation
from tests.accounts import actor_of
from tests.e2e.journeys import Hand, assert_accessible

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

EVENT = (
    '{"specversion": "1.0", "id": "a-1", "source": "/shop", "type": "order.checked",'
    ' "data": {"total": "1.10", "order_id": 1234567890123456789}}'
)


def test_one_is_edited_and_revived_with_two_clicks_and_two_keys(signed_in, live_server, letter, monkeypatch):
    monkeypatch.setattr("dlqconsole.operations.requests.service.wake", lambda operation_id: None)
    one = letter("order.checked", payload=EVENT, headers='{"traceparent": "00-aa", "tenant": "a"}')
    page = signed_in("operator")
    page.goto(f"{live_server.url}/dead-letters/{one}/")
    hand = Hand(page)

    hand.press("e")
    payload = page.get_by_role("textbox", name="Payload")
    expect(payload).to_be_focused()
    expect(page.get_by_text("traceparent")).to_be_visible()
    assert page.locator("input[value='traceparent']").count() == 0
    assert_accessible(page)

    broken = payload.input_value().replace('"1.10"', "")
    payload.fill(broken)
    hand.press("Control+Enter")
    expect(page.get_by_role("alert")).to_contain_text("line 4, column ")
    expect(payload).to_have_value(broken)
    expect(payload).to_be_focused()
    assert (
        payload.evaluate("field => field.value.slice(0, field.selectionStart)")
        == broken.partition(',\n    "order')[0]
    )
    expect(page.locator(".gutter .wrong")).to_have_text("4")
    expect(page.locator(".gutter span")).to_have_count(broken.count("\n") + 1)
    assert_accessible(page)

    page.keyboard.type("1.10")
    hand.click(page.get_by_role("button", name="Check the change"))
    expect(page.locator("del")).to_contain_text('"total": "1.10"')
    expect(page.locator("ins")).to_contain_text('"total": 1.10')
    expect(page.get_by_label("Why?")).to_be_focused()
    assert_accessible(page)
    page.keyboard.type("the total is a number")
    hand.click(page.get_by_role("button", name="Save and revive"))

    page.wait_for_url("**/operations/*/")
    assert (hand.clicks, hand.keys) == (2, 2)
    operation = Operation.objects.get()
    assert (operation.kind, operation.ids, operation.reason) == ("revive", [one], "the total is a number")
    assert '"total": 1.10' in editing.current(one).text
    assert '"order_id": 1234567890123456789' in editing.current(one).text
    assert list(PayloadVersion.objects.order_by("number").values_list("number", "actor")) == [
        (0, ""),
        (1, actor_of("operator")),
    ]
    assert AuditEntry.objects.filter(action="edit", target=f"dead_letter:{one}").count() == 1


def test_a_second_operators_edit_gets_a_conflict_and_loses_nothing(signed_in, live_server, letter):
    one = letter(payload='{"note": "old"}')
    page = signed_in("operator")
    page.goto(f"{live_server.url}/dead-letters/{one}/edit/")
    seen = editing.current(one).version
    theirs = {"payload_text": '{"note": "theirs"}', "headers": None, "actor": "user:bob", "reason": "first"}
    editing.edit(one, version=seen, **theirs)

    payload = page.get_by_role("textbox", name="Payload")
    payload.fill('{"note": "mine"}')
    page.get_by_role("button", name="Check the change").click()
    expect(page.get_by_role("alert")).to_contain_text("user:bob edited it at")
    expect(payload).to_have_value('{"note": "mine"}')
    expect(page.locator("del")).to_contain_text("theirs")
    expect(page.locator("ins")).to_contain_text("mine")
    page.get_by_text("The whole payload that is there now").click()
    expect(page.locator("#theirs")).to_contain_text('"note": "theirs"')
    assert_accessible(page)
    assert DeadLetter.objects.get(pk=one).payload == {"note": "theirs"}

    payload.press("Control+Enter")
    page.get_by_label("Why?").fill("I have seen theirs")
    page.get_by_role("button", name="Save", exact=True).click()
    page.wait_for_url(f"**/dead-letters/{one}/")
    assert DeadLetter.objects.get(pk=one).payload == {"note": "mine"}
    assert PayloadVersion.objects.count() == 3
