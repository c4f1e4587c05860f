"""A handler that runs in its message's transaction writes exactly once, whatever dies."""

import os
import signal
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.faults


def running_handlers(consumer):
    """The processes of a crew."""
    return map(int, Path(f"/proc/{consumer.pid}/task/{consumer.pid}/children").read_text().split())


def test_what_a_transactional_handler_writes_is_there_once(world):
    world.sql.execute(
        "INSERT INTO message_queue (queue, payload, headers)"
        """ SELECT 'chaos', '{}', '{"ce_type": "once"}' FROM generate_series(1, 900)"""
    )
    consumers = [world.consume("--transactional", "--batch", "5") for _ in range(3)]
    for fault in ("kill", "sessions", "kill", "sessions", "crash"):
        done = world.count("SELECT count(*) FROM calls")
        world.until(lambda done=done: world.count("SELECT count(*) FROM calls") > done + 40)
        match fault:
            case "kill":
                consumers.pop().send_signal(signal.SIGKILL)  # who runs handlers there finishes, and goes home
                consumers.append(world.consume("--transactional", "--batch", "5"))
                for pid in running_handlers(consumers[0]):
                    os.kill(pid, signal.SIGKILL)  # in the middle of one; its crew starts another
            case "sessions":
                assert world.terminate_backends() > 0
            case "crash":
                world.server.crash()
                time.sleep(0.5)
                world.server.start()
                world.reconnect()
    world.drain(40)
    assert [consumer.poll() for consumer in consumers] == [None] * 3
    assert world.count("SELECT count(*) FROM calls") == 900
    assert world.count("SELECT count(DISTINCT message) FROM calls") == 900
    assert world.count("SELECT count(*) FROM enriched_events") == 900
    assert world.count("SELECT count(*) FROM dlq_events") == 0
