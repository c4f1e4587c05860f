"""Each event once, in one of two tables, whoever writes beside us and whatever a row holds."""

from functools import partial

import psycopg
import pytest

from dlqconsole.pipeline.errors import PipelineProblem, RunIsOver
from dlqconsole.pipeline.ingest.reading import origin_of, read_item
from dlqconsole.pipeline.sink.executors import in_place
from dlqconsole.pipeline.sink.storing import Sink
from dlqconsole.pipeline.sources.files import SourceFile
from dlqconsole.pipeline.sources.lines import FileLine
from dlqconsole.processing.handlers import load_handlers
from dlqconsole.processing.limits import DEFAULT_LIMITS
from dlqconsole.processing.outcomes import Failed, Succeeded, attempt
from tests.keeper import keeper
from tests.threads import at_once

from .hostile import LINES, event

pytestmark = pytest.mark.django_db(transaction=True)

FILE = origin_of(SourceFile("/somewhere/events.jsonl", "events.jsonl"))


def items(*contents: bytes):
    return [
        read_item(FileLine(number, content, len(content)), FILE, DEFAULT_LIMITS)
        for number, content in enumerate(contents, 1)
    ]


def test_features_keep_successes(ingest_here, rows):
    ingest_here(event("1"), event("2", do="business"), success_keepers=(keeper,))
    (entry,) = rows("SELECT target FROM audit_log WHERE actor = 'keeper'")
    assert entry["target"].startswith("order.created {")


@pytest.fixture
def sink(make_work):
    work = make_work()
    with in_place(work) as attempt:
        made = Sink(work, attempt)
        yield made
        made.close()


def test_writes_a_success_and_a_failure_to_their_tables(ingest_here, rows):
    assert ingest_here(event("1", order_id=7), event("2", do="business")) == {
        "enriched": 1,
        "PlaneUnknown": 1,
    }
    (good,) = rows("SELECT * FROM enriched_events")
    (dead,) = rows("SELECT * FROM dlq_events")
    assert (good["source"], good["source_key"], good["record"]) == (
        "shop",
        "1",
        {"order_id": 7, "handled": True},
    )
    assert (dead["source"], dead["source_key"], dead["error_class"]) == ("shop", "2", "PlaneUnknown")
    assert dead["payload"]["data"] == {"do": "business"}
    assert dead["payload_raw"] is None
    assert dead["headers"] == {"dlq_file": "events.jsonl", "dlq_line": 2}
    assert "sample_handlers.py" in dead["error_stacktrace"]
    assert rows("SELECT message FROM failure_groups") != []


def test_what_may_heal_by_itself_does_not_come_due_at_once(ingest_here, rows):
    ingest_here(*(event(str(n), do="dependency") for n in range(200)))
    (spread,) = rows(
        "SELECT min(retry_after - now()) AS first, max(retry_after - now()) AS last, "
        "count(DISTINCT retry_after) AS n FROM dlq_events WHERE error_category = 'DEPENDENCY'"
    )
    assert spread["n"] > 190
    assert 50 < spread["first"].total_seconds() < 120
    assert 480 < spread["last"].total_seconds() <= 600


def test_a_second_ingest_changes_nothing(ingest_here, rows):
    lines = [event("1"), event("2", do="business"), b"{broken", b"[1]"]
    ingest_here(*lines)
    rows("UPDATE dlq_events SET status = 'DISCARDED' WHERE source_key = '2'")
    before = rows("SELECT * FROM dlq_events ORDER BY id"), rows("SELECT * FROM enriched_events")
    assert ingest_here(*lines) == {"unchanged": 4}
    assert (rows("SELECT * FROM dlq_events ORDER BY id"), rows("SELECT * FROM enriched_events")) == before


def test_a_known_dead_letter_is_unchanged_even_if_it_would_succeed_now(ingest_here, rows, tmp_path):
    line = event("1", do="until", path=str(tmp_path / "there"))
    assert ingest_here(line) == {"BillingAway": 1}
    (tmp_path / "there").touch()
    assert ingest_here(line) == {"unchanged": 1}
    assert rows("SELECT * FROM enriched_events") == []


def test_one_event_on_two_lines_is_one_event(ingest_here, rows):
    assert ingest_here(event("1"), event("1"), event("2", do="business"), event("2", do="business")) == {
        "enriched": 1,
        "PlaneUnknown": 1,
        "unchanged": 2,
    }


def test_other_bytes_at_a_known_position_are_another_event(ingest_here, rows):
    """A rotated log has the same name and other lines: none of them may be lost."""
    ingest_here(b"{broken")
    assert ingest_here(b"{broken otherwise") == {"MalformedEvent": 1}
    assert ingest_here(b"{broken otherwise") == {"unchanged": 1}
    raws = {bytes(row["payload_raw"]) for row in rows("SELECT payload_raw FROM dlq_events")}
    assert raws == {b"{broken", b"{broken otherwise"}


def test_what_a_rule_lets_heal_waits_as_the_others_do(ingest_here, rows):
    rows(
        "INSERT INTO failure_rules (name, error_class, category, overrides, position)"
        " VALUES ('planes come', 'PlaneUnknown', 'TRANSIENT', true, 1)"
    )
    ingest_here(event("1", do="business"))
    (letter,) = rows("SELECT error_category, said_category, retry_after > now() AS waits FROM dlq_events")
    assert letter == {"error_category": "TRANSIENT", "said_category": "BUSINESS", "waits": True}


def test_other_bytes_under_a_known_id_are_another_event(ingest_here, rows):
    """Two producers, one id: neither payload may be lost, in one file or in two."""
    one, other = (event("1", do="business", tailnum=tail) for tail in ("N1", "N2"))
    assert ingest_here(one, other, one) == {"PlaneUnknown": 2, "unchanged": 1}
    third = event("1", do="business", tailnum="N3")
    assert ingest_here(third) == {"PlaneUnknown": 1}
    assert ingest_here(one, other, third) == {"unchanged": 3}
    first, *others = rows("SELECT * FROM dlq_events ORDER BY id")
    tails = [letter["payload"]["data"]["tailnum"] for letter in (first, *others)]
    assert (first["source_key"], first["same_id_as"], tails) == ("1", None, ["N1", "N2", "N3"])
    assert [letter["same_id_as"] for letter in others] == [first["id"], first["id"]]
    assert {letter["occurrences"] for letter in (first, *others)} == {1}


def test_a_mended_line_under_a_known_id_is_handled(ingest_here, rows):
    ingest_here(event("1", do="business"))
    assert ingest_here(event("1", order_id=7)) == {"enriched": 1}
    assert ingest_here(event("1", order_id=7), event("1", do="business")) == {"unchanged": 2}
    assert rows("SELECT status FROM dlq_events") == [{"status": "PENDING"}]


def test_what_was_edited_is_known_by_each_of_its_versions(ingest_here, rows):
    ingest_here(event("1", do="business"))
    rows(
        "INSERT INTO payload_versions (dlq_event_id, number, payload, payload_raw, headers, actor, reason)"
        " SELECT id, 0, payload, payload_raw, headers, '', '' FROM dlq_events"
    )
    rows("UPDATE dlq_events SET payload = '{\"mended\": true}', payload_version = 1")
    assert ingest_here(event("1", do="business")) == {"unchanged": 1}


def test_counts_are_committed_with_the_rows(ingest_here, rows):
    ingest_here(event("1"), b"", event("2", do="business"), event("1"))
    (run,) = rows("SELECT done, counts FROM pipeline_runs")
    assert run["done"] == 3
    assert run["counts"] == {"read": 3, "enriched": 1, "dead_lettered": 1, "unchanged": 1, "blank": 1}


def test_a_run_that_is_over_writes_nothing_more(sink, rows):
    rows("UPDATE pipeline_runs SET status = 'failed'")
    with pytest.raises(RunIsOver):
        sink.store(items(event("1")))
    assert rows("SELECT * FROM enriched_events") == []


@pytest.mark.parametrize("trusting", [False, True])
def test_a_row_that_the_database_refuses_harms_only_itself(sink, rows, trusting):
    """A rule that only the database knows: 199 rows pass, the poison row is kept with its bytes."""
    rows("ALTER TABLE enriched_events ADD CONSTRAINT no_77 CHECK (record ->> 'order_id' <> '77')")
    try:
        sink.trusting = trusting
        tally = sink.store(items(*(event(str(n), order_id=n) for n in range(200))))
    finally:
        rows("ALTER TABLE enriched_events DROP CONSTRAINT no_77")
    assert tally == {("order.created", "enriched"): 199, ("order.created", "CheckViolation"): 1}
    (dead,) = rows("SELECT * FROM dlq_events")
    assert dead["source_key"] == "77"
    assert bytes(dead["payload_raw"]) == event("77", order_id=77)
    assert dead["error_reason"].startswith("CheckViolation: ")
    assert rows("SELECT done FROM pipeline_runs") == [{"done": 200}]


def test_a_number_jsonb_refuses_is_kept_too(sink, rows):
    """A handler may return what no check of ours foresees."""
    (item,) = items(event("1"))
    item.outcome = Succeeded({}, '{"n": 1e200000}')
    sink.trusting = True
    sink.store([item, *items(event("2"))])
    assert rows("SELECT error_class FROM dlq_events") == [{"error_class": "NumericValueOutOfRange"}]
    assert len(rows("SELECT * FROM enriched_events")) == 1


def test_an_event_that_appears_meanwhile_is_found(sink, rows):
    """We trusted that all is new, and somebody else had written one of them."""
    rows(
        "INSERT INTO enriched_events (event_type, source, source_key, record) VALUES ('x', 'shop', '1', '{}')"
    )
    sink.trusting = True
    assert sink.store(items(event("1"), event("2"))) == {
        ("order.created", "unchanged"): 1,
        ("order.created", "enriched"): 1,
    }


def test_an_event_that_appears_in_the_other_table_is_found(sink, rows):
    known = "INSERT INTO dlq_events (event_type, source, source_key, payload) VALUES ('x', 'shop', '1', %s)"
    rows(known, event("1").decode())
    rows(
        "INSERT INTO enriched_events (event_type, source, source_key, record) VALUES ('x', 'shop', '2', '{}')"
    )
    sink.trusting = True
    tally = sink.store(items(event("1"), event("2", do="business"), event("3")))
    assert tally == {("order.created", "unchanged"): 2, ("order.created", "enriched"): 1}


def test_writers_that_disagree_never_fill_both_tables(make_work, rows):
    """Two ingests of the same 300 events, one where all fail and one where all succeed, at once."""
    names = [str(n) for n in range(300)]
    failure = Failed("Away: not now", "TRANSIENT", "Away", "")

    def write(outcome, order) -> None:
        work = make_work()
        sink = Sink(work, partial(attempt, load_handlers(work.handlers)), trusting=True)
        for start in range(0, 300, 50):
            batch = items(*(event(name) for name in order[start : start + 50]))
            for item in batch:
                item.outcome = outcome
            sink.store(batch)
        sink.close()

    success = Succeeded({}, "{}")
    orders = [(success, names), (failure, names), (success, names[::-1]), (failure, names[::-1])]
    at_once([partial(write, *given) for given in orders])
    keys = rows("SELECT source_key FROM enriched_events UNION ALL SELECT source_key FROM dlq_events")
    assert sorted(row["source_key"] for row in keys) == sorted(names)


def test_a_connection_that_breaks_is_opened_again(sink, rows):
    sink.store(items(event("1")))
    rows(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE application_name LIKE 'dlqconsole ingest %%' AND datname = current_database() AND %s = 1",
        1,
    )
    assert sink.store(items(event("2"))) == {("order.created", "enriched"): 1}


def test_a_database_that_cannot_be_written_is_a_sentence(make_work, rows, database_url):
    work = make_work(
        database_url=psycopg.conninfo.make_conninfo(
            database_url, options="-c default_transaction_read_only=on"
        )
    )
    sink = Sink(work, partial(attempt, load_handlers(work.handlers)))
    with pytest.raises(PipelineProblem, match="read-only"):
        sink.store(items(event("1")))
    sink.close()


def test_a_handler_that_hangs_is_a_transient_failure(ingest_here, rows):
    assert ingest_here(event("1", do="sleep", seconds=5), event("2"), handler_timeout=1) == {
        "HandlerTimeout": 1,
        "enriched": 1,
    }
    assert rows("SELECT error_category FROM dlq_events") == [{"error_category": "TRANSIENT"}]


def test_what_a_dead_worker_had_stored_is_counted_once(make_work, rows):
    work = make_work()
    run = partial(attempt, load_handlers(work.handlers))
    before, more = [event("1"), event("2", do="business")], [event("3")]
    Sink(work, run).store(items(*before), 1)
    tally = Sink(work, run, again=True).store(items(*before, *more), 1)
    assert tally == {
        ("order.created", "enriched"): 2,
        ("order.created", "PlaneUnknown"): 1,
    }
    [found] = rows("SELECT done, counts FROM pipeline_runs")
    assert found["done"] == 3
    assert found["counts"] == {"read": 3, "enriched": 2, "dead_lettered": 1, "unchanged": 0, "blank": 1}


def test_every_hostile_line_is_somewhere_with_its_bytes(ingest_here, rows):
    tally = ingest_here(*(hostile.line for hostile in LINES))
    assert sum(tally.values()) == len(LINES)
    dead = {row["headers"]["dlq_line"]: row for row in rows("SELECT * FROM dlq_events")}
    for number, hostile in enumerate(LINES, 1):
        if hostile.error is None:
            assert number not in dead, hostile.name
            continue
        row = dead[number]
        assert (row["error_class"], row["status"]) == (hostile.error, hostile.status), hostile.name
        if hostile.status == "QUARANTINED":
            assert bytes(row["payload_raw"]) == hostile.line, hostile.name
            assert row["event_type"] == "undecodable"
            assert row["error_reason"].startswith(f"{hostile.error}: line {number}: ")
            assert (row["source"], row["source_key"]) == ("file:events.jsonl", str(number))
