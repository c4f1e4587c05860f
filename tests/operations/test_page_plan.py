"""A page costs as much as its rows, however many more there are and whatever the planner knows of them."""

import json
from uuid import uuid4

import pytest
from django.db import connection

from dlqconsole.operations.requests import controls
from dlqconsole.operations.work import leases
from dlqconsole.operations.work.freezing import freeze
from dlqconsole.operations.work.leases import pages_of
from tests.operations.conftest import ask, work
from tests.plain_sql import execute

pytestmark = pytest.mark.django_db(transaction=True)

LETTERS, PAGE = 2_500, 200
LARGE = {"dlq_events", "operation_items", "operation_messages", "message_queue", "payload_versions"}
EDIT = {"recipe": '[{"op": "add", "path": "/checked", "value": true}]'}


@pytest.mark.parametrize("analysed", ["never", "while empty", "now"])
@pytest.mark.parametrize("kind", ["revive", "discard", "edit"])
def test_a_page_and_its_undo_look_at_their_own_rows_only(letters, settings, kind, analysed):
    settings.DLQ_OPERATION_PAGE = PAGE
    if analysed == "while empty":
        _analyse()
    letters(LETTERS)
    operation = ask(kind, filter={}, parameters=EDIT if kind == "edit" else {})
    _see_to_plans(_begun(operation), analysed)
    work()
    _see_to_plans(_begun(controls.undo(operation.pk, "alice", "a mistake", uuid4())), analysed)


@pytest.mark.parametrize("analysed", ["never", "now"])
def test_a_page_of_messages_looks_at_its_own_rows_only(letters, settings, analysed):
    letters(LETTERS, queue="orders")
    execute("UPDATE dlq_events SET group_key = 'g' || id % 50 WHERE id % 9 = 0")
    ask("revive", filter={})
    settings.DLQ_OPERATION_PAGE = LETTERS
    work()
    settings.DLQ_OPERATION_PAGE = PAGE
    _see_to_plans(_begun(ask("purge_queue", queue="orders")), analysed)


def _analyse():
    for table in LARGE:
        execute(f"VACUUM ANALYZE {table}")


def _begun(operation):
    held = leases.adopt(operation.pk, "planner")
    freeze(held, deadline=float("inf"))
    return held


def _see_to_plans(held, analysed):
    if analysed == "now":
        _analyse()
    plans = []
    with connection.execute_wrapper(_explain_into(plans)):
        page = pages_of(held, "planner", lambda: False).next(LETTERS // 2)
    assert page.settled == PAGE
    assert plans
    leases.put_down(held)
    for plan in plans:
        assert "JIT" not in plan
        for step in _steps(plan["Plan"]):
            assert _looked_at(step) <= 4 * PAGE, step
            assert step["Node Type"] != "Seq Scan" or step["Relation Name"] not in LARGE, step


def _looked_at(step):
    """Rows of a step, its repetitions and what it threw away included."""
    thrown_away = step.get("Rows Removed by Filter", 0) + step.get("Rows Removed by Join Filter", 0)
    return (step["Actual Rows"] + thrown_away) * step["Actual Loops"]


def _explain_into(plans):
    """A wrapper that notes how each statement on the items would run, and lets it run."""

    def execute_explained(execute, statement, values, many, context):
        if "operation_items" in statement or "operation_messages" in statement:
            execute("SAVEPOINT before", None, many, context)
            execute("EXPLAIN (ANALYZE, FORMAT JSON) " + statement, values, many, context)
            found = context["cursor"].fetchone()[0]
            plans.extend(json.loads(found) if isinstance(found, str) else found)
            execute("ROLLBACK TO before", None, many, context)
        return execute(statement, values, many, context)

    return execute_explained


def _steps(plan):
    yield plan
    for step in plan.get("Plans", []):
        yield from _steps(step)
