"""What a limited person asks is answered by the indexes that are there, nobody else's question is changed."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection

from dlqconsole.engine.access_scope import EVERYTHING, AccessScope, asking_as
from dlqconsole.engine.counts import groups, rollups, summaries
from dlqconsole.engine.dead_letters.excerpts import excerpts, newest
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.models import DeadLetter

ROWS = 12_000
RARE, ONE = AccessScope.of([("*", "rare.*")]), AccessScope.of([("*", "rare.a")])


@pytest.fixture(scope="module")
def many(django_db_setup, test_database, django_db_blocker) -> Iterator[None]:
    """One dead letter in a thousand is of a rare type, and they are old."""
    with django_db_blocker.unblock(), connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO dlq_events (event_type, payload, error_reason, created_at)"
            " SELECT CASE WHEN i < 12 THEN 'rare.a' ELSE 'common.' || i %% 12 END, '{}', 'E: x',"
            " now() - make_interval(secs => %s - i) FROM generate_series(1, %s) i",
            [ROWS, ROWS],
        )
        cursor.execute("ANALYZE dlq_events")
        rollups.fold(ROWS)
        yield
        test_database.restore()


@pytest.fixture(autouse=True)
def transaction_of_its_own(many, db):
    """What a test changes is undone: the next one has the same rows."""


def steps(query: str, values: Any) -> list[dict[str, Any]]:
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, FORMAT json) {query}", values)
        plan = cursor.fetchone()[0]
    return list(walk((json.loads(plan) if isinstance(plan, str) else plan)[0]["Plan"]))


def walk(step: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield step
    for inner in step.get("Plans", ()):
        yield from walk(inner)


def of_list(scope: AccessScope) -> tuple[str, Any]:
    with asking_as(scope):
        rows = DeadLetterFilter().queryset()
    return excerpts(newest(rows))[:51].query.sql_with_params()


@pytest.mark.parametrize("scope", [ONE, RARE], ids=["a name", "the beginning of one"])
def test_the_list_of_few_old_ones_is_found_by_their_type(scope):
    found = steps(*of_list(scope))
    assert {step["Index Name"] for step in found if "Index Name" in step} == {"dlq_events_type_newest"}
    read = max(step["Actual Rows"] + step.get("Rows Removed by Filter", 0) for step in found)
    assert read <= 12


def test_who_sees_everything_asks_what_was_asked_before():
    rows = DeadLetterFilter().queryset()
    assert str(rows.query) == str(DeadLetter.objects.all().query)
    assert EVERYTHING.letters("d") == EVERYTHING.columns("a", "b") == "true"
    assert EVERYTHING.values() == {}
    assert (rollups.totals(), rollups.hours(24)) == (
        "dead_letter_totals",
        "dead_letter_trend",
    )


def test_figures_of_a_limited_person_are_kept_ones():
    """Where no group lies partly outside, nothing is counted one by one."""
    for verb in ("burning", "listed", "figures", "hours"):
        with asking_as(RARE):
            query = groups._sql(verb).replace("{trend}", rollups.hours(24))
        values = {"limit": 9, "ids": [1], "hours": 24, "states": ["open"], "owner": ""} | RARE.values()
        read = [step for step in steps(query, values) if step.get("Relation Name") == "dlq_events"]
        assert sum(step["Actual Rows"] * step["Actual Loops"] for step in read) == 0, verb
    with asking_as(RARE):
        assert summaries.count_matching(DeadLetterFilter()) == summaries.Count(11)
        assert summaries.event_types() == ["rare.a"]
