"""An error is answered by the queue's policy: another attempt, or a dead letter."""

import pytest

REASONS = {
    "node": ("RangeError", "RangeError: it is no order"),
    "go": ("errors.errorString", "errors.errorString: it is no order"),
    "sql": ("SqlError", "SqlError: it is no order (SQLSTATE P0001)"),
}
LETTER = "SELECT id, status, retry_count, error_class, error_reason, queue, event_type FROM dlq_events"


def test_without_retries_it_runs_once_and_is_a_dead_letter(world, start, language):
    world.policy(max_retries=0)
    world.send({"n": 1, "do": "fail"}, {"n": 2})
    start()
    world.until(world.is_empty)
    [letter] = world.rows(LETTER)
    error_class, reason = REASONS[language]
    assert (letter["status"], letter["retry_count"], letter["queue"]) == ("PENDING", 1, "orders")
    assert (letter["error_class"], letter["error_reason"]) == (error_class, reason)
    assert world.value("SELECT count(*) FROM dlq_attempts") == 1
    assert world.handled()[-1] == 2


def test_it_waits_as_the_policy_says_before_it_is_tried_again(world, start):
    world.policy(max_retries=1, backoff_base_seconds=600, backoff_jitter=0)
    world.send({"n": 1, "do": "fail"})
    start()
    world.until(lambda: world.value("SELECT status FROM message_queue") == "scheduled")
    waits = "SELECT extract(epoch FROM next_retry_at - finished_at) FROM message_queue, dlq_attempts"
    assert world.value(waits) == pytest.approx(600, abs=0.5)
    world.sql.execute("UPDATE message_queue SET next_retry_at = clock_timestamp()")
    world.until(world.is_empty)
    assert world.value("SELECT retry_count FROM dlq_events") == 2


def test_a_message_has_its_own_number_of_retries(world, start):
    world.policy(max_retries=0, backoff_base_seconds=0.001)
    world.sql.execute('SELECT queue_send(\'orders\', \'{"n": 1, "do": "fail"}\', max_retries => 2)')
    start()
    world.until(world.is_empty)
    assert world.value("SELECT retry_count FROM dlq_events") == 3


@pytest.mark.parametrize("language", ["go"])
def test_what_postgresql_cannot_store_ends_no_worker(world, start):
    world.policy(max_retries=0)
    world.send({"n": 1, "do": "fail in bytes"}, {"n": 2})
    worker = start()
    world.until(world.is_empty)
    assert worker.poll() is None
    assert world.value("SELECT error_reason FROM dlq_events") == "errors.errorString: a\ufffdb\ufffd"


THROWN = {
    "new RangeError('no order')": "RangeError: no order",
    "new Error('a\\0b')": "Error: a\ufffdb",
    "undefined": "Error: undefined",
    "'no order'": "Error: no order",
}


def test_a_plain_function_in_node_may_throw_anything(world, command_of, tmp_path):
    cases = "".join(f"if (payload.n === {n}) throw {thrown}; " for n, thrown in enumerate(THROWN))
    handler = tmp_path / "plain.mjs"
    handler.write_text(f"export const handle = ({{ payload }}) => {{ {cases} }};")
    world.policy(max_retries=0)
    world.send(*({"n": n} for n in range(len(THROWN) + 1)))
    worker = world.start([*command_of("node")[:-1], str(handler)], "node")
    world.until(world.is_empty)
    assert worker.poll() is None
    reasons = world.rows("SELECT error_reason FROM dlq_events ORDER BY original_message_id")
    assert [row["error_reason"] for row in reasons] == [*THROWN.values()], "the last one was completed"
