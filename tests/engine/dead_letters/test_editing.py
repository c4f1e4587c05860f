"""Editing one dead letter: exact text, the same event, one winner, and nothing lost."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from django.db import connection, transaction

from dlqconsole.engine.dead_letters import editing
from dlqconsole.engine.dead_letters.editing import Conflict, NotEditable
from dlqconsole.engine.models import AuditEntry, DeadLetter, PayloadVersion
from dlqconsole.operations.kinds.words import conflict_sentence
from dlqconsole.processing.edits import EditRefused
from tests.plain_sql import column, execute
from tests.threads import at_once

EVENT = '{"specversion":"1.0","id":"a-1","source":"/shop","type":"order.checked","data":{"total":1}}'
EXACT = '{"id": 1234567890123456789, "big": 12345678901234567890.123456789, "price": 1.10, "note": "%s"}'


def edit(letter_id, text, version=None, headers=None, actor="user:ann", reason="a test"):
    seen = editing.current(letter_id).version if version is None else version
    return editing.edit(
        letter_id, version=seen, payload_text=text, headers=headers, actor=actor, reason=reason
    )


def held(letter_id):
    return column("SELECT payload::text FROM dlq_events WHERE id = %s", letter_id)[0]


def chain(letter_id):
    kept = PayloadVersion.objects.filter(dlq_event_id=letter_id).order_by("number")
    return list(kept.values_list("number", "actor"))


def row(letter_id):
    query = "SELECT (payload, payload_raw, headers, version)::text FROM dlq_events WHERE id = %s"
    return column(query, letter_id)


def refusal(letter_id, text, **more):
    before = row(letter_id)
    with pytest.raises(EditRefused) as refused:
        edit(letter_id, text, **more)
    assert row(letter_id) == before
    return " ".join(refused.value.problems)


def test_every_digit_survives_and_the_original_is_kept(letter):
    one = letter(payload=EXACT % "old")
    made = edit(one, (EXACT % "new").replace(",", ",\r\n"))
    assert made.number == 1
    assert held(one) == column("SELECT %s::jsonb::text", EXACT % "new")[0]
    kept = column("SELECT payload::text FROM payload_versions WHERE dlq_event_id = %s ORDER BY number", one)
    assert kept == column("SELECT x::jsonb::text FROM unnest(%s::text[]) x", [EXACT % "old", EXACT % "new"])
    assert chain(one) == [(0, ""), (1, "user:ann")]
    entry = AuditEntry.objects.get()
    assert (entry.actor, entry.action, entry.target, entry.reason) == (
        "user:ann", "edit", f"dead_letter:{one}", "a test",
    )  # fmt: skip
    assert entry.detail["before"] != entry.detail["after"]
    assert "old" not in json.dumps(entry.detail)
    assert "new" not in json.dumps(entry.detail)


def test_what_jsonb_would_reword_is_kept_as_typed(letter):
    one = letter()
    edit(one, '{"a": 1E5, "b": -0}')
    assert bytes(DeadLetter.objects.get(pk=one).payload_raw) == b'{"a": 1E5, "b": -0}'
    assert held(one) == '{"a": 100000, "b": 0}'
    edit(one, '{"a": 7}')
    assert DeadLetter.objects.get(pk=one).payload_raw is None


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"a": 1,\n "b": }', "Not JSON, expecting value at line 2, column 7"),
        ("", "The payload is empty at line 1, column 1"),
        ('{"a": NaN}', "NaN is not JSON at line 1, column 7"),
        ("[1e400]", "Number out of range: its exponent is beyond ±308 at line 1, column 2"),
        ('{"a":1,"a":2}', 'Key "a" appears twice at line 1, column 8'),
        ('{"a":"\\u0000"}', "\\u0000 cannot be stored at line 1, column 7"),
        ('"\\ud800"', "Unpaired surrogate \\ud800 at line 1, column 2"),
        ('"\ud800"', "Unpaired surrogate U+D800 at line 1, column 2"),
        ("\ufeff{}", "byte order mark at line 1, column 1"),
        ('"' + "x" * 1024 * 1024 + '"', "1,048,578 bytes long, more than 1,048,576"),
        ("[" * 65 + "]" * 65, "More than 64 levels of nesting at line 1, column 65"),
        ("[" * 50_000, "More than 64 levels of nesting at line 1, column 65"),
        ("9" * 5000, "Number of 5,000 digits, more than 400 at line 1, column 1"),
    ],
)
def test_what_cannot_be_stored_exactly_is_refused_with_its_place(letter, text, problem):
    assert problem in refusal(letter(), text)


def test_nothing_changed_is_said_whatever_the_spaces_and_the_order(letter):
    one = letter(payload='{"a": 1, "b": {"c": 2, "d": 3}}')
    assert "Nothing was changed" in refusal(one, '{"b":{"d":3,\r\n"c":2},"a":1}')
    assert edit(one, '{"a": 1.0, "b": {"c": 2, "d": 3}}').number == 1


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        (EVENT.replace("a-1", "a-2"), "id may not change: it says which event this is, and it is 'a-1'."),
        (EVENT.replace("/shop", "/other"), "source may not change"),
        (EVENT.replace("order.checked", "order.created"), "type may not change"),
        (EVENT.replace('"specversion":"1.0",', ""), "specversion may not be taken away"),
        (EVENT.replace('"id":"a-1",', ""), "id may not change"),
        ("5", "specversion may not be taken away"),
    ],
)
def test_an_event_stays_the_event_it_is(letter, changed, problem):
    assert problem in refusal(
        letter("order.checked", payload=EVENT, source="/shop", source_key="a-1"), changed
    )


def test_an_event_that_did_not_say_who_it_is_may_be_mended(letter):
    one = letter("order.checked", payload=EVENT.replace('"id":"a-1",', ""))
    assert edit(one, EVENT).number == 1


def test_plain_data_cannot_become_another_event(letter):
    assert "specversion may not be added" in refusal(letter(), EVENT)


def test_every_problem_of_the_schema_is_listed_with_its_pointer(letter):
    one = letter("order.checked", payload=EVENT)
    assert '/data/total: "much" is not a number' in refusal(one, EVENT.replace('"total":1', '"total":"much"'))
    assert '/data: "total" is missing' in refusal(one, EVENT.replace('"total":1', ""))
    plain = letter("order.checked", payload='{"total": 1}')
    assert '/total: "x" is not a number' in refusal(plain, '{"total": "x"}')


def test_bytes_that_were_no_json_become_json(letter):
    one = letter(payload_raw=b"{'order_id': 1}")
    assert editing.current(one).shown == "{'order_id': 1}"
    assert edit(one, '{"order_id": 1}').number == 1
    assert editing.current(letter(payload_raw=b"\xff\xfe")).shown is None
    original = PayloadVersion.objects.get(dlq_event_id=one, number=0)
    assert (original.payload, bytes(original.payload_raw)) == (None, b"{'order_id': 1}")


def test_protected_headers_stay_whatever_is_sent(letter):
    stored = '{"traceparent": "00-aa", "ce_id": "x", "tenant": "a", "depth": 12345678901234567.50}'
    one = letter(headers=stored)
    edit(one, '{"order_id": 1}', headers={"tenant": "b", "added": "c"})
    assert column("SELECT headers::text FROM dlq_events WHERE id = %s", one) == column(
        "SELECT %s::jsonb::text",
        '{"traceparent": "00-aa", "ce_id": "x", "tenant": "b", "added": "c", "depth": 12345678901234567.50}',
    )
    for name in ("traceparent", "CE_ID", "dlq_x", "X-Death-Count", "Content-Type", "depth"):
        assert "is protected" in refusal(one, "{}", headers={name: "y"})
    assert "line break" in refusal(one, "{}", headers={"a": "x\r\ny"})
    assert "longer than 8 KB" in refusal(one, "{}", headers={"a": "x" * 8193})


@pytest.mark.parametrize("status", ["RETRYING", "SUCCEEDED", "REVIVED", "DISCARDED"])
def test_only_what_waits_may_be_edited(letter, status):
    one = letter(status=status)
    with pytest.raises(NotEditable, match=f"is {status}"):
        edit(one, '{"a": 1}')
    assert not PayloadVersion.objects.exists()


def test_who_was_slower_gets_both_texts_and_changes_nothing(letter):
    one = letter(payload='{"a": 1}')
    seen = editing.current(one).version
    edit(one, '{"a": 2}', version=seen, actor="user:bob")
    with pytest.raises(Conflict, match="user:bob changed it at") as lost:
        edit(one, '{"a": 3}', version=seen)
    assert "user:bob edited it at" in conflict_sentence(lost.value)
    assert lost.value.theirs.shown == '{"a": 2}'
    assert held(one) == '{"a": 2}'


def test_an_earlier_version_comes_back_as_a_further_one(letter):
    one = letter(payload='{"a": 1}')
    edit(one, '{"a": 2}')
    made = editing.restore(one, 0, version=editing.current(one).version, actor="user:ann", reason="wrong")
    assert (made.number, held(one)) == (2, '{"a": 1}')
    assert [number for number, _actor in chain(one)] == [0, 1, 2]
    for wrong in (2, 9):
        with pytest.raises(EditRefused):
            editing.restore(one, wrong, version=made.version, actor="user:ann", reason="wrong")


@pytest.mark.django_db(transaction=True)
def test_of_many_editors_at_once_exactly_one_wins(letter):
    one = letter(payload='{"a": 0}')
    seen = editing.current(one).version

    def attempt(number):
        try:
            return edit(one, json.dumps({"a": number + 1}), version=seen, actor=f"user:{number}").number
        except Conflict:
            return "conflict"

    outcomes = at_once([partial(attempt, number) for number in range(8)])
    assert sorted(map(str, outcomes)) == ["1"] + ["conflict"] * 7
    winner = outcomes.index(1)
    assert held(one) == json.dumps({"a": winner + 1})
    assert chain(one) == [(0, ""), (1, f"user:{winner}")]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "rival",
    ["SELECT dead_letter_revive(%s)", "UPDATE dlq_events SET status = 'DISCARDED' WHERE id = %s RETURNING 1"],
)
def test_an_edit_that_meets_a_revive_or_a_discard_loses_whole(letter, rival):
    """The rival has the row locked while the edit asks for it, then commits."""
    one = letter(payload='{"a": 0}')
    seen = editing.current(one).version
    locked = threading.Event()

    def edit_meanwhile():
        try:
            locked.wait(10)
            edit(one, '{"a": 1}', version=seen)
        except Conflict as error:
            return error
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        loser = pool.submit(edit_meanwhile)
        with transaction.atomic():
            execute(rival, one)
            locked.set()
            threading.Event().wait(0.5)
            assert not loser.done()
        assert isinstance(loser.result(timeout=10), Conflict)
    assert held(one) == '{"a": 0}'
    assert not PayloadVersion.objects.exists()


def test_without_handlers_nobody_can_tell_what_an_event_must_look_like(letter, settings):
    one = letter("order.checked", payload='{"total": 1}')
    settings.DLQ_HANDLERS = "no.such.module"
    assert "handlers cannot be loaded" in refusal(one, '{"total": 2}')


def test_what_is_gone_cannot_be_edited(letter):
    one = letter()
    DeadLetter.objects.filter(pk=one).delete()
    with pytest.raises(NotEditable, match=f"There is no dead letter {one} any more"):
        edit(one, '{"a": 1}', version=1)
