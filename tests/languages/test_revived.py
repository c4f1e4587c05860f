"""A revived message that fails again is a relapse, told once; and an operation counts it as one."""

import pytest

from dlqconsole.operations.outcomes import of_revival
from dlqconsole.operations.work import run
from tests.asking import ask_for

LETTER = "SELECT id, status, retry_count, come_backs, occurrences, error_reason FROM dlq_events ORDER BY id"
ATTEMPTS = "SELECT kind, outcome FROM dlq_attempts ORDER BY id"


@pytest.fixture
def failed(world, start):
    """``failed(1, 2)`` are the dead letters of messages that a worker has failed once."""

    def fail(*numbers):
        world.policy(max_retries=0)
        world.send(*({"n": number, "do": "fail"} for number in numbers))
        start()
        world.until(lambda: world.value("SELECT count(*) FROM dlq_events") == len(numbers))
        return [row["id"] for row in world.rows(LETTER)]

    return fail


def test_one_that_fails_again_relapses(world, failed):
    [letter] = failed(1)
    world.value("SELECT dead_letter_revive(%s)", letter)
    world.until(lambda: world.value("SELECT status FROM dlq_events") != "REVIVED")
    [row] = world.rows(LETTER)
    assert (row["status"], row["retry_count"], row["come_backs"], row["occurrences"]) == ("PENDING", 2, 1, 2)
    assert "it is no order" in row["error_reason"]
    tried = [(row["kind"], row["outcome"]) for row in world.rows(ATTEMPTS)]
    assert tried == [("queue", "failed"), ("revive", "failed")]


def test_one_that_succeeds_says_so(world, failed):
    [letter] = failed(1)
    world.sql.execute("UPDATE dlq_events SET payload = '{\"n\": 2}'")
    world.value("SELECT dead_letter_revive(%s)", letter)
    world.until(lambda: world.value("SELECT status FROM dlq_events") == "SUCCEEDED")
    tried = [(row["kind"], row["outcome"]) for row in world.rows(ATTEMPTS)]
    assert tried == [("queue", "failed"), ("revive", "succeeded")]


def test_an_operation_counts_who_stayed_away_and_who_came_back(world, failed):
    letters = failed(1, 2, 3)
    world.sql.execute("UPDATE dlq_events SET payload = '{\"n\": 4}' WHERE id = %s", [letters[0]])
    with world.roles.as_role("app"):
        operation = ask_for("revive", actor="user:ann", reason="billing is back")
        run.run(operation.pk)
        world.until(lambda: not world.value("SELECT count(*) FROM dlq_events WHERE status = 'REVIVED'"))
        operation.refresh_from_db()
        outcome = of_revival(operation)
    assert (outcome.succeeded, outcome.failed_again, outcome.under_way) == (1, 2, 0)
