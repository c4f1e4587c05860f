"""First dominoes go by the indexes, however many dead letters there are."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from dlqconsole.contrib.insight import joining
from dlqconsole.contrib.insight.dominoes import dominoes
from dlqconsole.engine.dead_letters.excerpts import newest
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.models import DeadLetter
from tests.sizes import sized

LETTERS = sized(20_000, 1_000_000)
BATCH = 20_000

pytestmark = [pytest.mark.django_db, pytest.mark.sized]


@pytest.fixture(scope="module", autouse=True)
def many(django_db_setup, test_database, django_db_blocker):
    """Ten pairs of groups: two dead letters share a trace, of some the first succeeded; all share an id."""
    with django_db_blocker.unblock(), connection.cursor() as cursor:
        for first in range(0, LETTERS, BATCH):
            cursor.execute(
                "INSERT INTO dlq_events (event_type, error_reason, source, source_key, payload, headers,"
                " status, first_failure_at, created_at)"
                " SELECT 'type' || n %% 20, 'Down: no', 's', 'k' || n, '{}',"
                " jsonb_build_object('trace-id', 't' || n / 2, 'request-id', 'none'),"
                " CASE WHEN n / 2 %% 3 = 0 AND n %% 2 = 0 THEN 'SUCCEEDED' ELSE 'PENDING' END,"
                " now() - (2000000 - n) * interval '1 s', now() - (2000000 - n) * interval '1 s'"
                " FROM generate_series(%s, %s) n",
                [first, first + BATCH - 1],
            )
        cursor.execute(
            "INSERT INTO enriched_events (event_type, source, source_key, record)"
            " SELECT 'type', 'other', n::text, '{}' FROM generate_series(1, %s) n",
            [LETTERS],
        )
        cursor.execute("VACUUM ANALYZE dlq_events")
        cursor.execute("VACUUM ANALYZE enriched_events")
        yield
        test_database.restore()


@pytest.fixture
def first_group():
    return DeadLetter.objects.filter(event_type="type0").values_list("group_id", flat=True)[0]


def assert_indexed(plan):
    assert "dlq_events_ids" in plan
    assert "dlq_events_group" in plan
    assert "Seq Scan on dlq_events" not in plan
    assert "Seq Scan on enriched_events" not in plan


def test_the_card_reads_what_the_indexes_know(first_group):
    with CaptureQueriesContext(connection) as asked:
        found = dominoes(first_group)
    assert (found.sampled, found.left_out) == (joining.SAMPLE, 1)
    assert [row["after"] for row in found.downstream] == [joining.SAMPLE]
    [query] = [one["sql"] for one in asked if "WITH sample" in one["sql"]]
    with connection.cursor() as cursor:
        cursor.execute("EXPLAIN " + query.replace("%", "%%"), [])
        plan = "\n".join(row[0] for row in cursor.fetchall())
    assert_indexed(plan)


@pytest.mark.parametrize("more", [{}, {"type": "type1"}, {"status": "PENDING"}])
def test_the_rest_is_looked_up_by_number(first_group, more):
    rows = newest(DeadLetterFilter.parse({"rest_of": str(first_group)} | more).queryset())[:50]
    assert len(rows) == 50
    plan = rows.values("id").explain()
    assert_indexed(plan)
    assert "dlq_events_pkey" in plan
