"""An ``async def`` where no loop runs: it is run to its end, and has the time of any handler."""

import asyncio
import time

import pytest

from dlqconsole.processing.errors import BusinessError
from dlqconsole.processing.events import Event
from dlqconsole.processing.handlers import Declaration, Registry
from dlqconsole.processing.outcomes import Failed, Succeeded, attempt, attempt_async
from dlqconsole.processing.time_limit import HandlerTimeout, TimeLimit, cancel_after
from tests import asynchronous


@pytest.fixture(autouse=True)
def _no_loop_runs():
    """A browser's tests leave a loop running in this thread."""
    running = asyncio._get_running_loop()
    asyncio._set_running_loop(None)
    yield
    asyncio._set_running_loop(running)


EVENT = Event("1", "/shop", "order.created", data={"total": 3})


class Refused(BusinessError):
    """No."""


def registry(function, schema=None):
    return Registry([Declaration("order.created", function, schema, {})])


async def doubles(event, lookups):
    await asyncio.sleep(0)
    return {"total": 2 * event.data["total"]}


async def refuses(event, lookups):
    await asyncio.sleep(0)
    raise Refused("too much")


async def waits(event, lookups):
    await asyncio.sleep(60)


async def spins(event, lookups):
    while True:
        time.sleep(0.01)


def test_its_record_is_kept():
    handlers = registry(doubles)
    assert handlers.is_async("order.created")
    assert attempt(handlers, EVENT) == Succeeded({"total": 6}, '{"total":6}')
    assert attempt(handlers, EVENT) == asynchronous.run(attempt_async(handlers, EVENT))


def test_its_error_is_a_failure_of_its_category():
    outcome = attempt(registry(refuses), EVENT)
    assert isinstance(outcome, Failed)
    assert (outcome.reason, outcome.category) == ("Refused: too much", "BUSINESS")
    assert asynchronous.run(attempt_async(registry(refuses), EVENT)).reason == "Refused: too much"


def test_its_schema_is_checked_first():
    handlers = registry(doubles, {"type": "object", "required": ["customer"]})
    assert attempt(handlers, EVENT).error_class == "SchemaViolation"
    assert asynchronous.run(attempt_async(handlers, EVENT)).error_class == "SchemaViolation"


@pytest.mark.parametrize("function", [waits, spins])
def test_it_is_interrupted_where_it_is(function):
    with TimeLimit() as limit:
        outcome = limit.run(0.2, lambda: attempt(registry(function), EVENT))
    assert outcome.reason == "HandlerTimeout: the handler did not finish within 0.2 s"
    assert f"in {function.__name__}" in outcome.stacktrace
    assert attempt(registry(doubles), EVENT).record == {"total": 6}, "the loop goes on"


def test_its_task_is_cancelled_where_it_is():
    async def within():
        with cancel_after(0.2):
            return await attempt_async(registry(waits), EVENT)

    outcome = asynchronous.run(within())
    assert outcome.error_class == HandlerTimeout.__name__
    assert "in waits" in outcome.stacktrace
