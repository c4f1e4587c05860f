"""The plans of filters: what an index knows stays indexed inside of an expression, too."""

import pytest
from django.db import connection

from dlqconsole.engine.counts import rollups
from dlqconsole.engine.dead_letters.excerpts import newest
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from tests.sizes import sized

LETTERS = sized(20_000, 1_000_000)

pytestmark = [pytest.mark.django_db, pytest.mark.sized]


@pytest.fixture(scope="module", autouse=True)
def many(django_db_setup, test_database, django_db_blocker):
    with django_db_blocker.unblock(), connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO dlq_events (event_type, error_reason, source, source_key, payload, created_at)"
            " SELECT 'type' || n %% 200, 'Down: ' || n, 's', 'k' || n, jsonb_build_object('n', n),"
            " now() - n * interval '1 s' FROM generate_series(1, %s) n",
            [LETTERS],
        )
        cursor.execute("VACUUM ANALYZE dlq_events")
        yield
        test_database.restore()


@pytest.mark.parametrize(
    "text",
    [
        "type:type7 -status:DISCARDED", "type:[type7, type8]", "type:type7*", "key:[k7, k9]",
        "key:k7 OR key:k9", "(key:k7 OR type:nothing) -category:BUSINESS", "key:k7 payload.n:>3",
        "key:k7 -payload.n:>9", "type:nothing payload.n:>3",
    ],
)  # fmt: skip
def test_what_an_index_knows_is_looked_up(text):
    rows = newest(DeadLetterFilter.parse({"q": text}).queryset())[:50]
    plan = rows.values("id").explain()
    assert "Index" in plan
    assert "Seq Scan on dlq_events" not in plan


@pytest.mark.parametrize(
    "text", ["-status:DISCARDED", "type:type1* -type:type17", "type:a OR -category:BUSINESS"]
)
def test_what_is_counted_is_counted_without_reading_rows(text):
    parsed = DeadLetterFilter.parse({"q": text})
    assert rollups.covers(parsed)
    assert sum(rollups.by_status(parsed).values()) == parsed.queryset().count()
