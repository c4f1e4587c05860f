"""The edit form: nothing typed is lost, the change is shown first, nobody is overwritten."""

import html
from uuid import uuid4

import pytest

from dlqconsole.engine.dead_letters import editing
from dlqconsole.engine.models import AuditEntry, DeadLetter, PayloadVersion
from dlqconsole.operations.models import Operation
from tests.accounts import actor_of
from tests.moving import bring_to

pytestmark = pytest.mark.usefixtures("no_worker")

PAYLOAD = '{"order_id": 1234567890123456789, "price": 1.10, "note": "<b>old</b>"}'


def form(letter_id, payload, step="check", **fields):
    seen = editing.current(letter_id).version
    return {"step": step, "version": seen, "payload": payload, "reason": "", "request_key": uuid4()} | fields


def address(letter_id, page="edit"):
    return f"/dead-letters/{letter_id}/{page}/"


def text_of(answer):
    return html.unescape(answer.content.decode())


def test_the_form_holds_the_exact_payload(operator, letter):
    one = letter(payload=PAYLOAD, headers='{"ce_id": "x", "tenant": "a"}')
    page = text_of(operator.get(address(one)))
    assert '"order_id": 1234567890123456789' in page
    assert '"price": 1.10' in page
    assert 'name="header_name" value="tenant"' in page
    assert 'name="header_name" value="ce_id"' not in page
    assert "Protected" in page


def test_what_would_change_is_shown_and_nothing_is_stored_yet(operator, letter):
    one = letter(payload=PAYLOAD)
    answer = operator.post(address(one), form(one, PAYLOAD.replace("old", "new\u202e")))
    lines = answer.context["payload_difference"].lines
    assert [line.text for line in lines if line.kind in ("added", "removed")] == [
        '  "note": "<b>old</b>",', '  "note": "<b>new\u202e</b>",',
    ]  # fmt: skip
    page = answer.content.decode()
    assert "&lt;b&gt;new⟦U+202E⟧" in page
    assert "<b>new" not in page
    assert not PayloadVersion.objects.exists()


def test_what_is_checked_comes_back_byte_for_byte(operator, letter):
    one = letter()
    typed = '\n\n{"a":\r\n  "<textarea> &amp; \u202e"}'
    answer = operator.post(address(one), form(one, typed))
    assert answer.context["form"].text == typed.replace("\r\n", "\n")
    again = operator.post(address(one), form(one, answer.context["form"].text, step="edit"))
    assert "\n\n\n" + html.escape(answer.context["form"].text.strip()) in again.content.decode()


def test_saving_keeps_the_original_and_says_who(operator, letter):
    one = letter(payload=PAYLOAD)
    answer = operator.post(
        address(one), form(one, PAYLOAD.replace("old", "new"), step="save", reason="typo", header_name=["t"],
        header_value=["v"])
    )  # fmt: skip
    assert answer["Location"] == f"/dead-letters/{one}/"
    assert DeadLetter.objects.filter(pk=one, payload_version=1, headers={"t": "v"}).exists()
    entry = AuditEntry.objects.get()
    assert (entry.actor, entry.action, entry.reason) == (actor_of("operator"), "edit", "typo")
    assert not Operation.objects.exists()
    assert "Version 1" in text_of(operator.get(f"/dead-letters/{one}/"))


def test_save_and_revive_asks_for_the_operation(operator, letter):
    one = letter(payload=PAYLOAD)
    answer = operator.post(address(one), form(one, '{"a": 2}', step="revive", reason="mended"))
    operation = Operation.objects.get()
    assert answer["Location"] == f"/operations/{operation.pk}/"
    assert (operation.kind, operation.ids, operation.reason) == ("revive", [one], "mended")
    assert DeadLetter.objects.get(pk=one).payload_version == 1


def test_without_a_reason_nothing_is_saved_and_nothing_typed_is_lost(operator, letter):
    one = letter(payload=PAYLOAD)
    answer = operator.post(address(one), form(one, '{"a": 2}', step="save"))
    assert answer.status_code == 422
    assert "Say why" in text_of(answer)
    assert '{"a": 2}' in text_of(answer)
    assert not PayloadVersion.objects.exists()


@pytest.mark.parametrize(
    ("typed", "problem"),
    [
        ('{"a": 1,\r\n "b": }', "line 2, column 7"),
        ('{"a": NaN}', "NaN is not JSON at line 1, column 7"),
        ('{"a":"\\u0000"}', "\\u0000 cannot be stored at line 1, column 7"),
        ('{"a":1,"a":2}', 'Key "a" appears twice'),
        ("[" * 500, "More than 64 levels"),
        (PAYLOAD, "Nothing was changed"),
        ("", "The payload is empty"),
    ],
)
def test_a_refusal_names_the_place_and_keeps_the_text(operator, letter, typed, problem):
    one = letter(payload=PAYLOAD)
    answer = operator.post(address(one), form(one, typed))
    assert answer.status_code == 422
    assert problem in text_of(answer)
    assert typed.replace("\r\n", "\n") in text_of(answer)


def test_a_slower_editor_gets_both_texts(operator, letter):
    one = letter(payload='{"a": 1}')
    slow = form(one, '{"a": "mine"}', step="save", reason="mine")
    editing.edit(
        one,
        version=slow["version"],
        payload_text='{"a": "theirs"}',
        headers=None,
        actor="user:bob",
        reason="b",
    )
    answer = operator.post(address(one), slow)
    assert answer.status_code == 409
    page = text_of(answer)
    assert "user:bob edited it at" in page
    assert '{"a": "mine"}' in page
    assert '"a": "theirs"' in page
    assert DeadLetter.objects.get(pk=one).payload == {"a": "theirs"}
    # knowing it, they may go on from there
    again = operator.post(address(one), form(one, '{"a": "mine"}', step="save", reason="mine"))
    assert again.status_code == 302
    assert DeadLetter.objects.get(pk=one).payload == {"a": "mine"}
    assert PayloadVersion.objects.filter(dlq_event_id=one).count() == 3


@pytest.mark.parametrize("status", ["REVIVED", "DISCARDED", "RETRYING", "SUCCEEDED"])
def test_what_was_moved_on_meanwhile_is_told_and_the_text_kept(operator, letter, status):
    one = letter(payload='{"a": 1}')
    typed = form(one, '{"a": "mine"}', step="save", reason="mine")
    bring_to(status)
    answer = operator.post(address(one), typed)
    assert answer.status_code == 409
    assert f"It is {status} now." in text_of(answer)
    assert '{"a": "mine"}' in text_of(answer)
    assert operator.get(address(one)).status_code == 409


@pytest.mark.parametrize(
    "fields",
    [
        {"version": ""}, {"version": "x"}, {"version": "-1"}, {"version": "9" * 30},
        {"header_name": ["a", "a"], "header_value": ["1", "2"]},
        {"header_name": ["traceparent"], "header_value": ["1"]},
        {"header_name": ["a"], "header_value": ["x\r\ny"]},
    ],
)  # fmt: skip
def test_a_form_that_makes_no_sense_is_refused_with_what_was_typed(operator, letter, fields):
    one = letter(payload='{"a": 1}')
    answer = operator.post(address(one), form(one, '{"a": "mine"}', **fields))
    assert answer.status_code == 422
    assert answer.context["form"].sentences
    assert '{"a": "mine"}' in text_of(answer)


def test_a_huge_payload_is_left_to_the_command_line(operator, letter):
    one = letter(payload='"' + "x" * 300_000 + '"')
    answer = operator.get(address(one))
    assert answer.status_code == 409
    assert "manage.py deadletters edit" in text_of(answer)


def test_a_viewer_sees_why_not_and_may_not(viewer, letter):
    one = letter()
    assert "Viewers may look but not change" in text_of(viewer.get(f"/dead-letters/{one}/"))
    assert viewer.get(address(one)).status_code == 403
    assert viewer.post(address(one), form(one, "{}")).status_code == 403
    assert viewer.post(address(one, "versions"), {"number": 0}).status_code == 403


def test_the_original_can_be_looked_at_and_restored(operator, viewer, letter):
    one = letter(payload=PAYLOAD)
    operator.post(address(one), form(one, PAYLOAD.replace("old", "new"), step="save", reason="typo"))
    page = text_of(viewer.get(address(one, "versions")))
    assert "The original" in page
    assert '"note": "<b>old</b>"' in page
    assert "Go back to this" not in page
    seen = editing.current(one).version
    answer = operator.post(address(one, "versions"), {"number": 0, "version": seen, "reason": "was right"})
    assert answer.status_code == 302
    assert '"price": 1.10' in editing.current(one).text
    assert DeadLetter.objects.get(pk=one).payload_version == 2
    for wrong, status in (({"number": "x"}, 422), ({"number": 9}, 422), ({"number": 0, "version": 1}, 409)):
        given = {"version": editing.current(one).version, "reason": "again"} | wrong
        assert operator.post(address(one, "versions"), given).status_code == status
