"""The list and its tabs use their indexes, so that a page costs the same at a thousand rows and a million."""

import json
import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection

from dlqconsole.core.lifecycle.states import DeadLetterStatus
from dlqconsole.engine import known_handlers
from dlqconsole.engine.counts import buckets, rollups, summaries
from dlqconsole.engine.counts import groups as group_figures
from dlqconsole.engine.dead_letters.excerpts import excerpts, newest
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.dead_letters.orders import NEWEST, ORDERS
from dlqconsole.engine.known_handlers import HandlerSet
from dlqconsole.engine.models import DeadLetter
from dlqconsole.engine.sql import sql
from dlqconsole.operations.pages.export_rows import letters
from dlqconsole.reports.sql import sql as reports_sql
from dlqconsole.retries.why import counts
from tests.plain_sql import execute, value

pytestmark = pytest.mark.slow
ROWS = 60_000


@pytest.fixture(scope="module")
def many(django_db_setup, test_database, django_db_blocker):
    """Sixty thousand dead letters; a sixth of them share one moment, as a bulk load leaves them."""
    with django_db_blocker.unblock(), connection.cursor() as cursor:
        cursor.execute("SET statement_timeout = 0")  # on a busy machine it takes its time
        cursor.execute(
            "INSERT INTO dlq_events (event_type, payload, error_reason, status, created_at) "
            "SELECT 'type.' || i %% 12, jsonb_build_object('n', i), 'E' || i %% 40 || ': x', "
            "CASE WHEN i %% 100 = 0 THEN 'QUARANTINED' ELSE 'PENDING' END, "
            "now() - make_interval(secs => greatest(i, %s)) FROM generate_series(1, %s) i",
            [ROWS // 6, ROWS],
        )
        cursor.execute("ANALYZE dlq_events")
        cursor.execute("RESET statement_timeout")
        yield
        test_database.restore()


@pytest.fixture(autouse=True)
def transaction_of_its_own(many, db):
    """Roll back the changes of a test: the next one has the same rows."""


def matching(**parameters: str):
    return DeadLetterFilter.parse(parameters).queryset()


def indexes_and_rows(rows) -> tuple[set[str], int]:
    """The indexes that a query uses, and the most rows that any of its steps read."""
    query, values = excerpts(rows)[:51].query.sql_with_params()
    plan = value(f"EXPLAIN (ANALYZE, FORMAT json) {query}", *values)
    steps = list(walk((json.loads(plan) if isinstance(plan, str) else plan)[0]["Plan"]))
    assert "Seq Scan" not in {step["Node Type"] for step in steps}
    read = max(step["Actual Rows"] + step.get("Rows Removed by Filter", 0) for step in steps)
    return {step["Index Name"] for step in steps if "Index Name" in step}, read


def walk(step: dict[str, Any]):
    yield step
    for inner in step.get("Plans", ()):
        yield from walk(inner)


def test_first_page_reads_only_what_it_shows():
    """If one row in twelve matches, walking the newest and skipping the others costs the same."""
    for parameters, share, indexes in [
        ({}, 1, {"dlq_events_newest"}),
        ({"status": "QUARANTINED"}, 1, {"dlq_events_status_newest"}),
        ({"type": "type.3"}, 13, {"dlq_events_type_newest", "dlq_events_newest"}),
        ({"since": "3h"}, 1, {"dlq_events_newest"}),
    ]:
        used, read = indexes_and_rows(newest(matching(**parameters)))
        assert used <= indexes, parameters
        assert read <= 51 * share, parameters


def test_page_in_the_middle_of_one_moment_costs_what_the_first_costs():
    for parameters in ({}, {"status": "QUARANTINED"}, {"type": "type.3"}):
        rows = matching(**parameters)
        middle = newest(rows)[int(rows.count() * 0.08)]
        for step in (NEWEST.after, NEWEST.before):
            _used, read = indexes_and_rows(step(rows, (middle.created_at, middle.pk)))
            # never all the ties
            assert read < ROWS // 12, parameters


INDEX_OF = {
    "dead_since": "dlq_events_newest",
    "last_failure": "dlq_events_last_failure",
    "next_try": "dlq_events_next_try",
    "tries": "dlq_events_tries",
    "id": "dlq_events_pkey",
    "status": "dlq_events_status_newest",
    "type": "dlq_events_type_newest",
}


@pytest.mark.parametrize("name", ORDERS)
def test_each_order_is_read_off_its_index_from_the_first_page_and_from_the_middle(name):
    order = ORDERS[name]
    rows = matching(status=order.within) if order.within else matching()
    middle = order.place(vars(order.first(rows)[ROWS // 2]))
    for way in (order, order.reversed()):
        for page in (way.first(rows), way.after(rows, middle), way.before(rows, middle)):
            query, values = excerpts(page)[:51].query.sql_with_params()
            assert not {step["Node Type"] for step in explained(query, values)} & {"Sort", "Incremental Sort"}
            assert indexes_and_rows(page) == ({INDEX_OF[name]}, 51)


def test_group_is_counted_on_its_index_and_types_are_found():
    group_id = DeadLetter.objects.values_list("group_id", flat=True)[0]
    plan = DeadLetter.objects.filter(group_id=group_id, status="PENDING").explain()
    assert "dlq_events_group" in plan
    assert summaries.event_types() == sorted(f"type.{number}" for number in range(12))


def test_figures_of_groups_do_not_grow_with_the_table():
    """The figures of the first page and the list are sums of counts; the newest rows are read by a walk."""
    rollups.fold(ROWS)
    group_id = DeadLetter.objects.values_list("group_id", flat=True)[0]
    values = {
        "id": group_id,
        "ids": [group_id],
        "statuses": list(DeadLetterStatus),
        "limit": 20,
        "hours": 24,
    }
    for verb in ("burning", "listed", "figures", "hours"):
        more = {"states": ["open"], "owner": ""}
        assert "dlq_events" not in plan_text(group_figures._sql(verb), values | more), verb
    plan = plan_text(group_figures._sql("newest"), values)
    assert "Seq Scan on dlq_events" not in plan
    assert max(float(rows) for rows in re.findall(r"actual rows=([\d.]+)", plan)) <= 20 * len(
        values["statuses"]
    )


def test_what_failed_is_told_by_counts_and_a_walk(many):
    """Of a week: the lines by what is counted; how they healed by the newest of each group."""
    DeadLetter.objects.filter(pk__in=DeadLetter.objects.values("pk")[:3_000]).update(status="SUCCEEDED")
    execute("ANALYZE dlq_events")
    rollups.fold(ROWS)
    today = datetime.now(UTC)
    ids = list(DeadLetter.objects.values_list("group_id", flat=True).distinct()[:20])
    values = {"since": today - timedelta(days=7), "until": today, "limit": 100, "groups": ids}
    for name in ("lines", "hours"):
        query = reports_sql(f"failures.{name}").replace("{totals}", rollups.totals())
        assert "dlq_events" not in plan_text(query, values), name
    spans = {"since": [values["since"]] * 20, "until": [today] * 20, "most": 100}
    plan = plan_text(sql("recoveries.of_spans").format(letters="true"), values | spans)
    assert "dlq_events_group" in plan
    assert "Seq Scan on dlq_events" not in plan


def test_bars_of_five_minutes_read_their_time_alone():
    values = {"length": timedelta(minutes=5), "origin": buckets.ORIGIN, "since": datetime.now(UTC)}
    plan = plan_text(sql("buckets.one_by_one").format(letters="true"), values)
    assert "Seq Scan on dlq_events" not in plan
    assert "dlq_events" not in plan_text(sql("buckets.of_hours"), values)


def plan_text(query: str, values: dict[str, Any]) -> str:
    query = query.replace("{trend}", rollups.hours(24))
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, TIMING OFF) {query}", values)
        return "\n".join(row[0] for row in cursor.fetchall())


def test_a_rare_word_is_looked_up_in_trigrams_and_an_id_in_ids():
    for rows, indexes in (
        (matching(q="nowhere"), {"dlq_events_reason", "dlq_events_ids"}),
        (DeadLetterFilter.parse({"q": "nowhere"}).by_id(), {"dlq_events_ids"}),
    ):
        with summaries.time_budget(60_000, summaries.LOOKUP):
            assert indexes_and_rows(newest(rows)) == (indexes, 0)


def test_what_trigrams_do_not_know_is_not_looked_up_in_them():
    """All of the index would be read, and no time limit interrupts that."""
    for text, is_known in (("nowhere", True), ("qx", False), ("7-", False), ("a_b", False)):
        with summaries.time_budget(60_000, summaries.LOOKUP):
            assert ("dlq_events_reason" in matching(reason=text).explain()) == is_known, text


def test_a_count_out_of_time_is_not_guessed_and_harms_nothing():
    rows = matching(type="type.3")
    with pytest.raises(summaries.TooSlow), summaries.time_budget(20), connection.cursor() as cursor:
        cursor.execute("SELECT pg_sleep(5)")
    assert summaries.count(rows, 10_000) == summaries.Count(ROWS // 12)


def test_why_the_rest_waits_reads_no_table_but_what_is_due_of_an_index(monkeypatch):
    """With a worker that handles all types, and a third of the PENDING ones due."""
    known = HandlerSet(frozenset(f"type.{number}" for number in range(12)), 1)
    monkeypatch.setattr(known_handlers, "for_retries", lambda: known)
    execute("UPDATE dlq_events SET retry_after = now() + interval '1 hour' WHERE id % 3 > 0")
    execute("ANALYZE dlq_events")
    plans = []
    monkeypatch.setattr(
        counts, "fetch_dicts", lambda query, values: plans.append(explained(query, values)) or []
    )
    counts.why_not_counts()
    [steps] = plans
    assert "dlq_events" not in {s.get("Relation Name") for s in steps if s["Node Type"] == "Seq Scan"}
    read = {step["Index Name"] for step in steps if "Index Name" in step}
    assert read >= {"dlq_events_came_back", "dlq_events_due"}


def test_an_export_begins_at_once():
    """It walks the numbers: not a sort of all of it before the first byte."""
    sheet = letters(matching(status="PENDING"))
    steps = explained(sheet.query, sheet.values)
    assert "dlq_events_pkey" in {step.get("Index Name") for step in steps}
    assert "Sort" not in {step["Node Type"] for step in steps}


def explained(query, values) -> list[dict[str, Any]]:
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (FORMAT json) {query}", values)
        plan = cursor.fetchone()[0]
    return list(walk((json.loads(plan) if isinstance(plan, str) else plan)[0]["Plan"]))
