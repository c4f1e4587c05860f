"""Bulk edit by a recipe: what it names changes, every other digit stays, and each refusal says why."""

import json
from contextlib import suppress
from dataclasses import replace
from functools import partial
from uuid import uuid4

import pytest

from dlqconsole.engine.dead_letters import editing as single
from dlqconsole.engine.dead_letters.editing import Conflict
from dlqconsole.engine.models import AuditEntry, PayloadVersion
from dlqconsole.operations.errors import NotOurs, OperationRefused
from dlqconsole.operations.models import Operation, OperationItem
from dlqconsole.operations.work import leases
from dlqconsole.operations.work.leases import pages_of
from tests.operations.conftest import ask, counts, work
from tests.operations.conftest import undo as ask_undo
from tests.plain_sql import column, execute
from tests.threads import at_once

pytestmark = pytest.mark.django_db(transaction=True)

REPLACE = '[{"op": "replace", "path": "/n", "value": 2}]'
ROW = '{"n": 1, "id": 1234567890123456789, "price": 1.10, "big": 12345678901234567890.123456789}'


def operation_over(ids, kind="edit", source=None):
    """A running operation over these, as the freezing leaves it."""
    made = Operation.objects.create(
        request_key=uuid4(), kind=kind, status="running", actor="user:ann", reason="a test", scope="rows",
        ids=ids, cutoff_id=max(ids), expected=len(ids), selected=len(ids), frozen_to_id=max(ids),
        source_operation=source,
    )  # fmt: skip
    OperationItem.objects.bulk_create(OperationItem(operation=made, dead_letter_id=each) for each in ids)
    return made


def pages(operation, recipe=REPLACE):
    held = replace(leases.adopt(operation.pk, "worker"), options={"recipe": recipe})
    return pages_of(held, "worker", lambda: False)


def sweep(found):
    """All that remains, once."""
    after = 0
    while (page := found.next(after)).last is not None:
        after = page.last


def edited(ids, recipe=REPLACE):
    operation = operation_over(ids)
    sweep(pages(operation, recipe))
    return operation


def undo(source):
    """Take an edit back, as the service does."""
    operation = operation_over(list(source.ids), "undo", source)
    pages_of(leases.adopt(operation.pk, "worker"), "worker", lambda: False).next(0)
    return operation


def change(letter_id, text, actor):
    """What a person does by hand."""
    seen = single.current(letter_id).version
    single.edit(letter_id, version=seen, payload_text=text, headers=None, actor=actor, reason="by hand")


def items(operation):
    found = OperationItem.objects.filter(operation=operation).order_by("dead_letter_id")
    return [(item.status, item.reason) for item in found]


def payloads(ids):
    return column("SELECT payload::text FROM dlq_events WHERE id = ANY (%s) ORDER BY id", ids)


def test_only_what_the_recipe_names_changes(letters):
    ids = letters(30, payload=ROW)
    operation = edited(ids)
    counted = counts(operation)
    assert counted == ("running", 30, 30, 0, 0)
    assert set(payloads(ids)) == set(column("SELECT %s::jsonb::text", ROW.replace('"n": 1', '"n": 2')))
    kept = column("SELECT number || payload::text FROM payload_versions WHERE dlq_event_id = %s", ids[0])
    assert sorted(kept) == ["0" + column("SELECT %s::jsonb::text", ROW)[0], "1" + payloads(ids)[0]]
    assert column("SELECT DISTINCT was::text FROM operation_items") == ['{"payload_version": 0}']
    entry = AuditEntry.objects.get()
    assert (entry.action, entry.operation_id, entry.detail["done"]) == ("edit", operation.pk, 30)


def test_each_refusal_says_why_and_harms_nobody_else(letter):
    fine = letter(payload='{"n": 1}')
    ids = [
        fine,
        letter(payload='{"m": 1}'),
        letter(payload='{"n": 2}'),
        letter(payload_raw=b"not json"),
        letter(payload='{"n": 1}', payload_raw=b'{"n":1,"n":1}'),
        letter("order.checked", payload='{"n": 1}'),
        letter(payload='{"n": 1}', status="SUCCEEDED"),
        letter(payload="[" * 1500 + "]" * 1500),
        letter(payload="1" * 5000),
        letter(payload='{"n": 1, "x": 1e131071}'),
        letter(payload='"' + "x" * 1024 * 1024 + '"'),
        letter(payload='{"n": 1}'),
    ]
    ids += [ids[-1] + 1000]
    # what carries its own bytes keeps both: the fixture inserts one of them
    execute("UPDATE dlq_events SET payload = '{\"n\": 1}' WHERE id = %s", ids[4])
    operation = edited(ids)
    found = items(operation)
    assert found[0] == found[11] == ("done", "")
    assert [status for status, _reason in found[1:11]] == ["failed"] * 5 + ["skipped"] + ["failed"] * 4
    for place, words in {
        1: "operation 1 (replace “/n”): there is nothing at “/n”",
        2: "the recipe changes nothing in it",
        3: "its payload cannot be read: not JSON",
        4: 'a recipe cannot keep its payload exact: key "n" appears twice',
        5: '"total" is missing',
        6: "has already SUCCEEDED",
        7: "more than 64 levels",
        8: "operation 1 (replace “/n”)",
        9: "Number of 131,072 digits, more than 400",
        10: "bytes long, more than",
    }.items():
        assert words in found[place][1], found[place]
    assert found[12] == ("skipped", "no longer exists")
    assert counts(operation) == ("running", 13, 2, 2, 9)
    assert set(
        PayloadVersion.objects.filter(operation_id=operation.pk).values_list("dlq_event_id", flat=True)
    ) == {
        fine,
        ids[11],
    }


def test_an_events_identity_is_refused_to_every_recipe(letter):
    event = '{"specversion":"1.0","id":"1","source":"/s","type":"order.created","data":{}}'
    ids = [letter(payload=event)]
    operation = edited(ids, '[{"op":"replace","path":"/id","value":"2"}]')
    assert items(operation) == [("failed", "id may not change: it says which event this is, and it is '1'.")]


def test_undo_gives_back_the_exact_previous_payload_as_a_further_version(letters):
    ids = letters(5, payload=ROW)
    before = payloads(ids)
    operation = edited(ids)
    change(ids[0], '{"own": 1}', "user:bob")
    execute("UPDATE dlq_events SET status = 'DISCARDED' WHERE id = %s", ids[1])
    taken_back = undo(operation)
    assert items(taken_back) == [
        ("skipped", "edited anew since"),
        ("skipped", "no longer as this operation left it: it is DISCARDED"),
        *[("done", "")] * 3,
    ]
    assert payloads(ids[2:]) == before[2:]
    assert payloads(ids[:1]) == ['{"own": 1}']
    numbers = column("SELECT number FROM payload_versions WHERE dlq_event_id = %s ORDER BY 1", ids[2])
    assert numbers == [0, 1, 2]


def test_asked_for_done_and_undone_as_a_person_does_it(letters):
    ids = letters(30, payload=ROW)
    before = payloads(ids)
    operation = ask("edit", filter={}, parameters={"recipe": REPLACE})
    work()
    assert counts(operation) == ("completed", 30, 30, 0, 0)
    assert all('"n": 2' in payload for payload in payloads(ids))
    taken_back = ask_undo(operation)
    work()
    assert counts(taken_back) == ("completed", 30, 30, 0, 0)
    assert payloads(ids) == before
    assert column("SELECT DISTINCT payload_version FROM dlq_events") == [2]


def test_a_recipe_that_cannot_be_understood_is_refused_before_there_is_an_operation(letters):
    letters(1)
    for recipe in ("", "[", "[]", '[{"op":"set"}]'):
        with pytest.raises(OperationRefused):
            ask("edit", filter={}, parameters={"recipe": recipe})
    assert not Operation.objects.exists()


def test_a_recipe_applied_twice_continues_the_chain_and_undoes_one_step(letters):
    ids = letters(2, payload='{"n": 1}')
    edited(ids)
    undo(edited(ids, '[{"op":"replace","path":"/n","value":3}]'))
    assert payloads(ids) == ['{"n": 2}'] * 2
    assert column("SELECT DISTINCT payload_version FROM dlq_events") == [3]


def test_what_somebody_changes_between_reading_and_writing_is_read_again(letters, monkeypatch):
    ids = letters(3, payload='{"n": 1}')
    operation = operation_over(ids)
    found = pages(operation)
    original = found._patch

    def meanwhile(rows):
        values = original(rows)
        execute('UPDATE dlq_events SET payload = \'{"n": 1, "theirs": true}\' WHERE id = %s', ids[1])
        monkeypatch.setattr(found, "_patch", original)
        return values

    monkeypatch.setattr(found, "_patch", meanwhile)
    sweep(found)
    assert counts(operation) == ("running", 3, 2, 0, 0)
    sweep(found)
    assert counts(operation) == ("running", 3, 3, 0, 0)
    assert payloads(ids)[1] == '{"n": 2, "theirs": true}'


def test_a_worker_that_lost_its_lease_changes_nothing(letters):
    ids = letters(3, payload='{"n": 1}')
    operation = operation_over(ids)
    found = pages(operation)
    Operation.objects.update(lease_token=uuid4())
    with pytest.raises(NotOurs):
        sweep(found)
    assert payloads(ids) == ['{"n": 1}'] * 3
    assert not PayloadVersion.objects.exists()


def test_a_row_that_the_database_refuses_fails_alone(letters):
    ids = letters(40, payload='{"n": 1}')
    execute(
        "CREATE FUNCTION refuse_it() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW.number = 1 AND"
        f" NEW.dlq_event_id = {ids[13]} THEN RAISE EXCEPTION 'this one is poison'; END IF; RETURN NEW; END $$"
    )
    execute(
        "CREATE TRIGGER refuse_it BEFORE INSERT ON payload_versions FOR EACH ROW EXECUTE FUNCTION refuse_it()"
    )
    try:
        operation = edited(ids)
    finally:
        execute("DROP FUNCTION refuse_it CASCADE")
    assert counts(operation) == ("running", 40, 39, 0, 1)
    assert items(operation)[13] == ("failed", "this one is poison")


def test_a_page_holds_so_many_bytes_at_most(letters, monkeypatch):
    monkeypatch.setattr("dlqconsole.operations.pages.editing.PAGE_BYTES", 1000)
    ids = letters(7, payload='{"n": 1, "x": "' + "y" * 400 + '"}')
    operation = operation_over(ids)
    found = pages(operation)
    assert [found.next(after).settled for after in (0, ids[2])] == [3, 3]


def test_many_editors_and_a_recipe_never_lose_a_change(letters):
    """People edit while the recipe runs: each text is in the chain, and the newest is what the row holds."""
    ids = letters(60, payload='{"n": 1}')
    operation = operation_over(ids)

    def person(name):
        won = 0
        for number in ids:
            text = json.dumps({"n": 1, name: number})
            with suppress(Conflict):
                change(number, text, name)
                won += 1
        return won

    def recipe():
        found = pages(operation)
        found.at_most = 7
        sweep(found)
        sweep(found)
        return 0

    won = sum(at_once([partial(person, "ann"), partial(person, "bob"), recipe]))
    done = counts(operation)[2]
    chains = column("SELECT count(*) FROM payload_versions WHERE number > 0")[0]
    assert chains == won + done
    newest = column(
        "SELECT count(*) FROM dlq_events e JOIN payload_versions v ON v.dlq_event_id = e.id"
        " AND v.number = e.payload_version AND v.payload = e.payload"
    )[0]
    assert newest == column("SELECT count(DISTINCT dlq_event_id) FROM payload_versions")[0]
