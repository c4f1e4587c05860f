"""The events that a day's report reads, and the open days: no commit slips past the marks."""

from datetime import UTC, date, datetime, timedelta

import orjson
import psycopg
import pytest

from dlqconsole.engine.models import DeadLetter
from dlqconsole.pipeline.reports.days import (
    ReportRequest,
    Span,
    announce,
    note,
    plan,
    span_of,
    spans_of,
    strays,
)
from dlqconsole.pipeline.reports.events_frame import extents
from dlqconsole.pipeline.sql import sql
from dlqconsole.processing.reports import DailyReport
from tests.moving import bring_to

HOUR = timedelta(hours=1)
FIRST, SECOND, THIRD = (date(2026, 1, day) for day in (1, 2, 3))


def declared(zone="UTC", margin=timedelta(), day_of="occurred_at") -> DailyReport:
    return DailyReport("r", "R", (), {"n": "count"}, lambda events: events, day_of, zone, margin)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def test_a_day_is_read_where_the_report_is_at_home():
    assert span_of(declared(), FIRST) == Span(at("2026-01-01"), at("2026-01-02"))
    assert span_of(declared("America/New_York"), FIRST) == Span(at("2026-01-01T05"), at("2026-01-02T05"))
    # the day on which the clocks go forward is shorter
    assert span_of(declared("Europe/Berlin"), date(2026, 3, 29)) == Span(
        at("2026-03-28T23"), at("2026-03-29T22")
    )
    assert span_of(declared(margin=HOUR), FIRST) == Span(at("2025-12-31T23"), at("2026-01-02T01"))


def test_several_days_are_read_in_ranges():
    report, wide = declared(), declared(margin=12 * HOUR)
    assert spans_of((report, day) for day in (SECOND, FIRST)) == [Span(at("2026-01-01"), at("2026-01-03"))]
    assert len(spans_of((report, day) for day in (FIRST, THIRD))) == 2
    assert len(spans_of((wide, day) for day in (FIRST, THIRD))) == 1
    assert len(spans_of((report, day) for day in (date.min, date.max, FIRST))) == 3


def test_a_day_that_no_event_read_may_count_on_is_a_stray():
    report = declared(margin=HOUR)
    read = spans_of([(report, SECOND)])
    assert strays(report, [FIRST, SECOND, THIRD], read) == []
    assert strays(report, [SECOND, date(2012, 1, 2), date.max], read) == [date(2012, 1, 2), date.max]


@pytest.fixture
def world(database_url):
    """A connection that commits each statement, and one whose snapshot the report is computed from."""
    with psycopg.connect(database_url, autocommit=True) as connection:
        yield connection


def an_event(connection, key: str, occurred: str | None) -> None:
    connection.execute(
        "INSERT INTO enriched_events (event_type, source, source_key, occurred_at, record)"
        " VALUES ('t', 's', %s, %s, '{}')",
        (key, occurred),
    )


def a_dead_letter(key: str, occurred: str) -> DeadLetter:
    payload = {"specversion": "1.0", "id": key, "source": "s", "type": "t", "time": occurred}
    return DeadLetter.objects.create(
        event_type="t", source="s", source_key=key, payload=payload, error_reason="Lost: x"
    )


def open_days(connection, report: DailyReport) -> list[str]:
    announce(connection, [report])
    days = plan(connection, report, ReportRequest(open=True)).days
    return [f"{day:%m-%d}" for day in days or ()]


def compute(connection, report: DailyReport, asked: ReportRequest | None = None) -> None:
    announce(connection, [report])
    note(connection, report, plan(connection, report, asked or ReportRequest()), {})


def test_a_day_is_open_until_it_is_computed_and_again_when_something_comes(world):
    report = declared()
    an_event(world, "a", "2026-01-01T10:00:00Z")
    a_dead_letter("b", "2026-01-03T23:59:59Z")
    assert open_days(world, report) == ["01-01", "01-03"]
    compute(world, report, ReportRequest(days=(FIRST,)))
    assert open_days(world, report) == ["01-03"]
    compute(world, report)
    assert open_days(world, report) == []
    an_event(world, "late", "2026-01-01T10:00:01Z")
    assert open_days(world, report) == ["01-01"]


def test_a_dead_letter_that_is_healed_discarded_or_edited_opens_its_day(world):
    report, letters = declared(), [a_dead_letter(key, f"2026-01-0{key}T10:00:00Z") for key in "1234"]
    compute(world, report)
    for letter, status in zip(letters, ("SUCCEEDED", "DISCARDED", "EXHAUSTED", "RETRYING"), strict=True):
        bring_to(status, DeadLetter.objects.filter(pk=letter.pk))
    assert open_days(world, report) == ["01-01", "01-02"], "a try more is no news to a report"
    compute(world, report)
    payload = letters[2].payload | {"time": "2026-01-05T10:00:00Z"}
    world.execute(
        "UPDATE dlq_events SET payload = %s WHERE id = %s", (orjson.dumps(payload).decode(), letters[2].pk)
    )
    assert open_days(world, report) == ["01-03", "01-05"], "the day that it left, and the day it came to"


def test_a_commit_that_is_seen_later_than_its_time_opens_its_day(world, database_url):
    """It began before the report looked, and ended after: its timestamps lie long before the computation."""
    report = declared()
    an_event(world, "a", "2026-01-01T10:00:00Z")
    with psycopg.connect(database_url) as slow:
        an_event(slow, "slow", "2026-01-01T11:00:00Z")
        compute(world, report)
        assert open_days(world, report) == []
    assert open_days(world, report) == ["01-01"]


def test_what_comes_while_a_report_is_computed_opens_its_day(world, database_url):
    report = declared()
    an_event(world, "a", "2026-01-01T10:00:00Z")
    announce(world, [report])
    with psycopg.connect(database_url) as looking:
        looking.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        seen = plan(looking, report, ReportRequest())
        an_event(world, "b", "2026-01-01T10:30:00Z")
        assert plan(looking, report, ReportRequest()) == seen
    note(world, report, seen, {})
    assert open_days(world, report) == ["01-01"]


def test_a_margin_opens_both_days_and_a_zone_moves_them(world):
    an_event(world, "a", "2026-01-02T02:30:00Z")
    assert open_days(world, declared("America/New_York")) == ["01-01"]
    assert open_days(world, declared(margin=3 * HOUR)) == ["01-01", "01-02"]
    assert open_days(world, declared("Asia/Kolkata")) == ["01-02"]


def test_a_day_that_is_not_over_is_not_open_yet(world):
    now = datetime.now(UTC)
    an_event(world, "a", now.isoformat())
    an_event(world, "b", (now - timedelta(days=1)).isoformat())
    assert open_days(world, declared()) == [f"{now - timedelta(days=1):%m-%d}"]


def test_a_report_declared_anew_is_computed_anew(world):
    an_event(world, "a", "2026-01-01T10:00:00Z")
    compute(world, declared())
    assert open_days(world, declared()) == []
    assert open_days(world, declared(margin=HOUR)) == ["01-01"]


def test_a_day_that_lost_events_keeps_its_figures(world):
    report = declared()
    an_event(world, "a", "2026-01-01T10:00:00Z")
    an_event(world, "b", "2026-01-02T10:00:00Z")
    compute(world, report)
    world.execute("DELETE FROM enriched_events WHERE source_key = 'a'")
    an_event(world, "late", "2026-01-01T11:00:00Z")
    an_event(world, "late too", "2026-01-02T11:00:00Z")
    wanted = plan(world, report, ReportRequest(open=True))
    assert (wanted.days, wanted.kept_days) == ((SECOND,), (FIRST,))
    assert plan(world, report, ReportRequest()).kept_days == (FIRST,), "all days would overwrite it, too"
    assert plan(world, report, ReportRequest(days=(FIRST,))).kept_days == (), "who names the day gets it"
    note(world, report, wanted, {})
    assert open_days(world, report) == []
    kept = world.execute("SELECT kept_at IS NOT NULL FROM report_days WHERE day = '2026-01-01'").fetchone()
    assert kept == (True,)


def test_what_went_of_its_neighbours_costs_a_day_none_of_its_late_data(world):
    report = declared(margin=24 * HOUR)
    an_event(world, "a", "2026-01-01T10:00:00Z")
    an_event(world, "b", "2026-01-02T10:00:00Z")
    compute(world, report)
    world.execute("DELETE FROM enriched_events WHERE source_key = 'a'")
    an_event(world, "late", "2026-01-02T11:00:00Z")
    wanted = plan(world, report, ReportRequest(open=True))
    assert wanted.kept_days == (FIRST,)
    assert SECOND in wanted.days
    [mark] = [mark for mark in wanted.marks.values() if mark.day == FIRST]
    assert mark.losses == 1


def test_a_day_that_was_not_over_when_it_was_computed_has_no_figures_to_keep(world):
    report, day = declared(), datetime.now(UTC).date()
    an_event(world, "a", day.isoformat() + "T00:00:00Z")
    compute(world, report)
    world.execute("DELETE FROM enriched_events WHERE source_key = 'a'")
    an_event(world, "b", day.isoformat() + "T00:00:00Z")
    assert plan(world, report, ReportRequest()).kept_days == ()


def test_a_report_that_says_nothing_of_its_days_is_computed_whole_and_once(world):
    report = declared(day_of="")
    an_event(world, "a", None)
    announce(world, [report])
    first = plan(world, report, ReportRequest(open=True))
    assert (first.days, first.changes) == (None, 1)
    world.execute("UPDATE reports SET changes = 1")
    assert plan(world, report, ReportRequest(open=True)).is_idle
    an_event(world, "b", "2026-01-01T10:00:00Z")
    assert plan(world, report, ReportRequest(open=True)).days is None


def test_one_day_is_read_by_its_index_however_much_there_is(world):
    """Its plans at a hundred days of data: neither table is read whole, for the count nor for the rows."""
    world.execute(
        "INSERT INTO enriched_events (event_type, source, source_key, occurred_at, record)"
        " SELECT 't', 's', n::text, '2026-01-01'::timestamptz + n * interval '7 minutes', '{}'"
        " FROM generate_series(1, 20000) n"
    )
    world.execute(
        "INSERT INTO dlq_events (event_type, source, source_key, error_reason, payload)"
        " SELECT 't', 's', 'd' || n, 'Lost: x', jsonb_build_object('specversion', '1.0', 'time',"
        " to_char('2026-01-01'::timestamp + n * interval '1 hour', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"'))"
        " FROM generate_series(1, 2400) n"
    )
    world.execute("ANALYZE enriched_events")
    world.execute("ANALYZE dlq_events")
    span = span_of(declared(), date(2026, 2, 1))
    bounds = {"since": span.since, "until": span.until, "first": span.since, "end": span.until}
    for query in ("report.span", "report.enriched_by_time", "report.dead_by_time"):
        found = world.execute(b"EXPLAIN (FORMAT TEXT) " + sql(query), bounds).fetchall()
        told = "\n".join(line for (line,) in found)
        assert "Seq Scan" not in told, f"{query}: {told}"
        assert "_occurred" in told
    parts = extents(world, [span])
    assert {part.query: part.rows for part in parts} == {"enriched_by_time": 205, "dead_by_time": 24}
