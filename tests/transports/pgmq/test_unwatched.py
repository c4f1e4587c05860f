"""Queues of PGMQ whose messages fail again and again, and that nobody attached."""

import pytest

from dlqconsole.transports import attachments, unwatched
from dlqconsole.transports.models import DeadLetterLook
from tests.plain_sql import execute
from tests.transports.conftest import new_pgmq_queue
from tests.transports.pgmq.other_database import other_database, queue_elsewhere  # noqa: F401 - fixtures

pytestmark = pytest.mark.django_db(transaction=True)


def seen():
    DeadLetterLook.objects.update(tried_at="2020-01-01T00:00Z")
    assert unwatched.look() == 1
    assert DeadLetterLook.objects.get().problem == ""
    return {each.name: each.messages for each in unwatched.unwatched()}


def test_what_is_read_again_and_again_is_told_until_its_queue_is_attached(attached):
    with new_pgmq_queue() as name:
        execute("SELECT pgmq.send(%s, '{}')", name)
        assert seen() == {}
        for _ in range(6):
            execute("SELECT pgmq.read(%s, 0, 1)", name)
        assert seen() == {f"pgmq:{name}": 1}
        attachments.attach(f"pgmq:{name}", actor="test")
        assert unwatched.unwatched() == []


def test_the_same_in_another_database(queue_elsewhere, other_database, transactional_db):  # noqa: F811
    attachments.attach(f"pgmq-service:{queue_elsewhere}", actor="test")
    other_database.ask("SELECT pgmq.create(%s)", "beside")
    other_database.ask("SELECT pgmq.send(%s, '{}') FROM generate_series(1, 2)", "beside")
    other_database.ask("UPDATE pgmq.q_beside SET read_ct = 9")
    assert seen() == {"pgmq-service:there.beside": 2}
    other_database.ask("SELECT pgmq.drop_queue(%s)", "beside")
