"""A worker that is killed while it waits takes no message with it."""

import pytest


@pytest.mark.parametrize("language", ["sql"])
def test_its_session_ends_before_it_claims(world, start, language):
    """Its claim waits in the database, which looks each second whether the program is still there."""
    worker = start()
    world.until(world.is_asleep)
    worker.kill()
    worker.wait()
    world.until(lambda: not world.is_asleep(), 10)
    world.send({"n": 1})
    assert world.value("SELECT status FROM message_queue") == "pending"
