"""A page costs as much as its rows, whatever the planner knows: no step is done over and over."""

import json

import pytest
from django.db import connection, transaction

from dlqconsole.operations import leases
from dlqconsole.operations.freezing import freeze
from dlqconsole.operations.limits import page_limits
from dlqconsole.operations.pages import statement
from dlqconsole.operations.workers import pages_of
from tests.operations.conftest import ask, execute

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("kind", ["revive", "discard"])
@pytest.mark.parametrize("analysed", [False, True])
def test_no_step_of_a_page_is_repeated_for_each_row(letters, kind, analysed):
    letters(3000)
    operation = ask(kind, filter={})
    held = leases.adopt(operation.pk, "planner")
    freeze(held, deadline=float("inf"))
    if analysed:
        execute("ANALYZE dlq_events")
        execute("ANALYZE operation_items")
    pages = pages_of(held, "planner", lambda: False)
    with transaction.atomic(), connection.cursor() as cursor:
        page_limits(nested_loops=False)
        values = pages._values | {"after": 0, "limit": 2000}
        cursor.execute("EXPLAIN (ANALYZE, FORMAT JSON) " + statement(pages._text), values)
        found = cursor.fetchone()[0]
    (plan,) = json.loads(found) if isinstance(found, str) else found
    assert "JIT" not in plan
    assert max(step["Actual Loops"] for step in _steps(plan["Plan"])) <= 2


def _steps(plan):
    yield plan
    for step in plan.get("Plans", []):
        yield from _steps(step)
