"""A queue that nobody created has the policy of one that was created with nothing said."""

import pytest

from dlqconsole.core.lifecycle import failures
from dlqconsole.engine.models import Queue
from tests.plain_sql import value

pytestmark = pytest.mark.django_db

POLICY = "SELECT to_jsonb(queue_policy(%s)) - 'name' - 'created_at'"


def test_the_defaults_are_the_columns():
    Queue.objects.create(name="made")
    assert value(POLICY, "made") == value(POLICY, "nobody made it")


def test_a_created_queue_has_its_own():
    Queue.objects.create(name="made", max_retries=7, paused=True)
    assert value("SELECT (queue_policy('made')).max_retries") == 7
    assert value("SELECT (queue_policy('made')).paused")


@pytest.mark.parametrize(
    ("name", "number"), [("most_crashes", failures.MAX_CRASHES), ("most_timeouts", failures.MAX_TIMEOUTS)]
)
def test_python_and_sql_stop_after_as_many(name, number):
    assert value(f"SELECT {name}()") == number
