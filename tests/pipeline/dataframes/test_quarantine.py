"""Rows that break a rule become dead letters, the rest goes on; fixed, they come back to their job."""

import json
from uuid import uuid4

import pytest
from pyspark.sql import functions

from dlqconsole.pipeline.dataframes.rules import sentence_of
from dlqconsole.spark import (
    BadRequest,
    bad_records,
    corrupt_records,
    expect_or_dead_letter,
    fixed_rows,
    json_schema,
    rescued_data,
)

SCHEMA = "id bigint, price double, currency string"
RULES = {"positive price": "price > 0", "known currency": "currency IN ('EUR', 'USD')"}
PRICES = [
    (1, 9.5, "EUR"),
    (2, -1.0, "EUR"),
    (3, None, "USD"),
    (4, 2.0, "GBP"),
    (5, -2.0, "GBP"),
    (6, 1.0, "USD"),
]
WHY = {
    "2": "RuleFailed: positive price: price > 0",
    "3": "RuleFailed: positive price: price > 0",
    "4": "RuleFailed: known currency: currency IN ('EUR', 'USD')",
    "5": "RuleFailed: positive price: price > 0; known currency: currency IN ('EUR', 'USD')",
}


def test_a_json_text_says_why_it_does_not_fit():
    schema = json.dumps({"type": "object", "required": ["sku"], "properties": {"sku": {"type": "string"}}})
    assert sentence_of("sku", schema, b'{"sku": "a"}') is None
    assert "/sku" in (sentence_of("sku", schema, b'{"sku": 7}') or "")
    assert sentence_of("sku", schema, None) == "sku: it is NULL"
    assert (sentence_of("sku", schema, b"{broken") or "").startswith("sku: ")
    with pytest.raises(BadRequest):
        json_schema({"type": "no such type"})


@pytest.mark.spark
@pytest.mark.django_db(transaction=True)
def test_bad_rows_are_kept_fixed_and_come_back(session, rows):
    prices = session.createDataFrame(PRICES, SCHEMA)
    good = expect_or_dead_letter(prices, RULES, job="prices", key="id")
    assert sorted(row.id for row in good.collect()) == [1, 6]
    assert good.schema == prices.schema
    dead = rows("SELECT * FROM dlq_events ORDER BY source_key")
    assert {row["source_key"]: row["error_reason"] for row in dead} == WHY
    assert {(row["source"], row["event_type"], row["queue"], row["status"]) for row in dead} == {
        ("spark:prices", "prices", "prices", "PENDING")
    }
    assert dead[1]["payload"] == {"id": 3, "price": None, "currency": "USD"}
    assert len({row["group_id"] for row in dead}) == 3
    expect_or_dead_letter(prices, RULES, job="prices", key="id")
    assert rows("SELECT count(*) AS n FROM dlq_events") == [{"n": 4}]
    said = rows("SELECT message FROM pipeline_runs ORDER BY id")
    assert [row["message"] for row in said] == ["4 dead letters", "0 dead letters, 4 unchanged"]

    _fix(rows, "2", price=3.0)
    _fix(rows, "4", price=0.0)
    with pytest.raises(ZeroDivisionError), fixed_rows(session, "prices", schema=SCHEMA) as fixed:
        1 / (fixed.count - 2)
    with fixed_rows(session, "prices", schema=SCHEMA) as fixed:
        assert fixed.count == 2
        with fixed_rows(session, "prices") as nothing:
            assert (nothing.count, nothing.rows.count()) == (0, 0)
        mended = expect_or_dead_letter(fixed.rows, RULES, job="prices", key="id")
        assert [(row.id, row.price) for row in mended.collect()] == [(2, 3.0)]
    assert fixed.settled == 1
    after = rows("SELECT source_key, status, occurrences, error_reason FROM dlq_events ORDER BY source_key")
    assert [(row["source_key"], row["status"]) for row in after] == [
        ("2", "SUCCEEDED"),
        ("3", "PENDING"),
        ("4", "PENDING"),
        ("5", "PENDING"),
    ]
    assert after[2]["error_reason"] == WHY["5"]
    assert rows("SELECT * FROM message_queue") == []
    came_back = "SELECT come_backs, occurrences FROM dlq_events WHERE source_key = '4'"
    assert rows(came_back) == [{"come_backs": 1, "occurrences": 2}]
    story = "SELECT kind, outcome FROM dlq_attempts a JOIN dlq_events d ON d.id = a.dlq_event_id"
    assert rows(f"{story} WHERE source_key = '4' ORDER BY a.id")[-1] == {
        "kind": "revive",
        "outcome": "failed",
    }
    assert not rows(f"{story} WHERE source_key = '4' AND outcome = 'succeeded'")
    _its_block_is_over(session, rows)


def _its_block_is_over(session, rows) -> None:
    """A fixed row that is looked at later, and columns that are only called so, are rows like any."""
    later = session.createDataFrame(
        [(8, -8.0, "EUR", 1, str(uuid4()))], f"{SCHEMA}, dlq_message long, dlq_token string"
    )
    own = session.createDataFrame([(9, -9.0, "EUR", "mine")], f"{SCHEMA}, dlq_message string")
    for frame in (later, own):
        assert expect_or_dead_letter(frame, RULES, job="prices", key="id").count() == 0
    store_frame = rows("SELECT payload FROM dlq_events WHERE source_key IN ('8', '9') ORDER BY source_key")
    assert [row["payload"].get("dlq_message") for row in store_frame] == [None, "mine"]


def _fix(rows, key: str, **changed: object) -> None:
    """As the console does it: another version of the payload, then a revive."""
    letter = "(SELECT id FROM dlq_events WHERE source_key = %s)"
    rows(
        "INSERT INTO payload_versions (dlq_event_id, number, payload, payload_raw, headers, actor, reason)"
        " SELECT id, 0, payload, payload_raw, headers, '', '' FROM dlq_events WHERE source_key = %s",
        key,
    )
    rows(
        "UPDATE dlq_events SET payload = payload || %s::jsonb, payload_raw = NULL, payload_version = 1"
        " WHERE source_key = %s",
        json.dumps(changed),
        key,
    )
    rows(f"SELECT dead_letter_revive({letter})", key)


@pytest.mark.spark
@pytest.mark.django_db(transaction=True)
def test_what_readers_could_not_read_is_kept(session, rows, tmp_path):
    (tmp_path / "in.json").write_text('{"id": 1}\n{"id": "x"}\n{broken\n')
    read = session.read.schema("id bigint, _corrupt_record string").json(str(tmp_path / "in.json"))
    good = corrupt_records(read, job="readings")
    assert [row.asDict() for row in good.collect()] == [{"id": 1}]
    kept = rows("SELECT payload_raw, error_class FROM dlq_events ORDER BY payload_raw")
    assert [(bytes(row["payload_raw"]), row["error_class"]) for row in kept] == [
        (b'{"id": "x"}', "CorruptRecord"),
        (b"{broken", "CorruptRecord"),
    ]
    (tmp_path / "bad" / "deep").mkdir(parents=True)
    record = {"path": "file:/in.csv", "record": "1,x", "reason": "x is no number"}
    (tmp_path / "bad" / "deep" / "part-0").write_text(json.dumps(record))
    bad_records(session, str(tmp_path / "bad"), job="readings")
    rescued = session.createDataFrame(
        [(1, None), (2, '{"colour": "red"}')], "id bigint, _rescued_data string"
    )
    assert [row.id for row in rescued_data(rescued, job="readings", key="id").collect()] == [1]
    reasons = {row["error_reason"] for row in rows("SELECT error_reason FROM dlq_events")}
    assert {
        "BadRecord: x is no number",
        "RescuedData: the column _rescued_data holds what fits no other",
    } < reasons


@pytest.mark.spark
@pytest.mark.django_db(transaction=True)
def test_a_schema_is_a_rule_and_a_wrong_rule_is_a_sentence(session, rows):
    frame = session.createDataFrame([('{"sku": "a"}',), ('{"sku": 7}',), (None,)], "body string")
    sku = json_schema({"type": "object", "properties": {"sku": {"type": "string"}}}, "body")
    good = expect_or_dead_letter(frame, {"order": sku}, job="orders", payload="body")
    assert [row.body for row in good.collect()] == ['{"sku": "a"}']
    assert {
        row["payload_raw"] and bytes(row["payload_raw"]) for row in rows("SELECT payload_raw FROM dlq_events")
    } == {
        b'{"sku": 7}',
        b"null",
    }
    for rules, why in [
        ({"odd": "no_such_column > 0"}, "the rule 'odd: no_such_column > 0': .*UNRESOLVED"),
        ({"odd": "1 + 1"}, "the rule 'odd: 1 \\+ 1': .*must be true or false"),
        ({"all": "sum(length(body)) > 0"}, "the rule 'all: sum"),
        ({"odd": 3}, "the rule 'odd': "),
    ]:
        with pytest.raises(BadRequest, match=why):
            expect_or_dead_letter(frame, rules, job="orders")
    long = {"short": functions.length("body") < 5}
    assert expect_or_dead_letter(frame, long, job="columns").count() == 0
    reasons = {
        row["error_reason"] for row in rows("SELECT error_reason FROM dlq_events WHERE queue = 'columns'")
    }
    assert reasons == {"RuleFailed: short"}
    with pytest.raises(BadRequest, match="this takes a DataFrame of Spark, not list"):
        expect_or_dead_letter([1], {"order": sku}, job="orders")
    with pytest.raises(BadRequest, match=r"the key: .*UNRESOLVED"):
        expect_or_dead_letter(frame, {"order": sku}, job="orders", key="id")
    with pytest.raises(BadRequest, match="job is a name"):
        expect_or_dead_letter(frame, {"order": sku}, job="")


MISFITS = (
    '{"id": "abc", "price": 5}',
    '{"id": 2, "price": "5,0"}',
    '{"id": 3.7, "price": 1}',
    "[1, 2]",
    '"row"',
)


@pytest.mark.spark
@pytest.mark.django_db(transaction=True)
def test_a_fixed_row_that_does_not_fit_the_schema_has_failed_again(session, rows):
    fits = '{"id": 1, "price": null, "currency": "EUR", "more": true}'
    for text in (fits, *MISFITS):
        rows("SELECT dead_letter_report('mended', %s::jsonb, 'RuleFailed: price', queue => 'mended')", text)
    rows("SELECT dead_letter_revive(id) FROM dlq_events")
    with fixed_rows(session, "mended", schema=SCHEMA) as fixed:
        assert [tuple(row)[:3] for row in fixed.rows.collect()] == [(1, None, "EUR")]
        assert (fixed.count, fixed.misfits) == (6, 5)
    assert fixed.settled == 1
    failed = rows("SELECT payload::text AS payload, error_reason FROM dlq_events WHERE status = 'PENDING'")
    assert {json.dumps(json.loads(row["payload"])) for row in failed} == set(MISFITS)
    assert {row["error_reason"] for row in failed} == {
        "RowMisfit: the fixed row does not fit the schema of its job,"
        " struct<id:bigint,price:double,currency:string>"
    }
    assert rows("SELECT 1 FROM message_queue") == []
