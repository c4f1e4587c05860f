"""A worker that takes long keeps its lease, where its language can do two things at once."""

import pytest

RENEWED = (
    "SELECT status = 'processing' AND lease_until > dequeued_time + interval '35 seconds' FROM message_queue"
)


@pytest.mark.parametrize("language", ["node", "go"])
def test_its_lease_is_renewed_while_it_works(world, start, language):
    world.send({"n": 1, "seconds": 60})
    start()
    world.until(lambda: world.value(RENEWED))


@pytest.mark.parametrize("language", ["sql"])
def test_in_sql_what_it_wrote_is_undone_if_another_has_taken_the_message(world, start, language):
    """It cannot renew; but what it does commits with the completion, or not at all."""
    world.send({"n": 1, "seconds": 0.5})
    start()
    world.until(lambda: world.value("SELECT status = 'processing' FROM message_queue"))
    world.sql.execute("UPDATE message_queue SET lease_token = gen_random_uuid(), lease_until = '9000-01-01'")
    world.until(world.is_asleep)
    assert world.handled() == []
    assert world.value("SELECT count(*) FROM dlq_attempts") == 0
