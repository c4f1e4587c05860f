"""Consuming and producing in one transaction: both happen, or neither."""

import psycopg
import pytest
from django.core.management import call_command
from psycopg.sql import SQL

MAILS = "SELECT payload ->> 'n' FROM message_queue WHERE queue = 'mails'"


@pytest.fixture
def may_mail(world):
    """Consumers in SQL may send to the queue of mails."""
    with world.roles.as_role(None):
        call_command(
            "grants", consumer=True, queue=["mails"], apply=True, prefix=world.roles.prefix, verbosity=0
        )


@pytest.mark.usefixtures("may_mail")
@pytest.mark.parametrize("language", ["sql"])
def test_what_a_worker_sends_leaves_with_what_it_completes(world, start, language):
    world.policy(max_retries=1, backoff_base_seconds=0.001)
    world.send({"n": 1, "do": "forward and fail"}, {"n": 2, "do": "forward"})
    start()
    world.until(world.is_empty)
    assert world.rows(MAILS) == [{"?column?": "2"}]
    assert world.value("SELECT (payload ->> 'n')::int FROM dlq_events") == 1


@pytest.mark.usefixtures("may_mail")
def test_what_is_rolled_back_is_neither_sent_nor_completed(world):
    world.send({"n": 1})
    link = world.consumer
    [message_id, token] = link.execute("SELECT id, token FROM queue_claim('orders')").fetchone()
    for commits in (False, True):
        with link.transaction(force_rollback=not commits):
            link.execute("SELECT queue_send('mails', '{\"n\": 1}')")
            done = link.execute(
                "SELECT queue_complete(ARRAY[%s::bigint], %s)", [message_id, token]
            ).fetchall()
            assert done == [(message_id,)]
        assert world.is_empty() is commits
        assert len(world.rows(MAILS)) == commits


@pytest.mark.usefixtures("may_mail")
def test_it_sends_to_no_queue_that_it_was_not_given(world):
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="may not send to the queue 'orders'"):
        world.consumer.execute("SELECT queue_send('orders', '1')")


@pytest.mark.usefixtures("may_mail")
def test_a_member_of_the_role_sends_where_its_role_may(world):
    member, role = world.roles.role("mailer"), world.roles.role("consumer")
    world.sql.execute(SQL("CREATE ROLE {} IN ROLE {}").format(member, role))
    with world.sql.transaction(force_rollback=True):
        world.sql.execute(SQL("SET LOCAL ROLE {}").format(member))
        world.sql.execute("SELECT queue_send('mails', '1')")
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="may not send to the queue 'orders'"):
            world.sql.execute("SELECT queue_send('orders', '1')")
