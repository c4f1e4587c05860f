"""A worker that is killed while it waits takes no message with it."""

import psycopg
import pytest
from psycopg.sql import SQL, Literal


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


def test_nor_does_that_of_a_member_claim(world, command_of):
    """PostgreSQL hands no settings of a role down to its members: the first claim sets it for the rest."""
    password = world.roles.passwords["consumer"]
    names = SQL("CREATE ROLE {} LOGIN IN ROLE {} PASSWORD {}")
    name, group = world.roles.role("member"), world.roles.role("consumer")
    world.sql.execute(names.format(name, group, Literal(password)))
    with psycopg.connect(world.address("consumer"), user=world.roles.prefix + "member") as session:
        assert session.execute("SHOW client_connection_check_interval").fetchone() == ("0",)
    claim = "SELECT * FROM queue_claim('orders', wait_seconds => 30)"
    address = world.address("consumer").replace("consumer:", "member:")
    worker = world.start([*command_of("sql")[:1], address, "-X", "-c", claim, "-c", claim], "member")
    waits = (
        "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'member' AND wait_event = 'PgSleep'"
    )
    world.until(lambda: world.value(waits))
    worker.kill()
    worker.wait()
    world.until(lambda: not world.value(waits), 10)
    world.send({"n": 1})
    assert world.value("SELECT status FROM message_queue") == "pending"
