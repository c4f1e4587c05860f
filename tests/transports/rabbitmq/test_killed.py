"""A relay is killed wherever it takes messages over: none is lost, and none is there twice."""

import os
import sys

import pytest
from django.db import connection

from dlqconsole.engine.models import DeadLetter
from dlqconsole.transports import attachments, relay
from dlqconsole.transports.models import AttachedQueue
from tests.pipeline.conftest import database_url_as_url
from tests.rabbitmq_server import Queues
from tests.starting import Popen
from tests.waiting import eventually

pytestmark = [pytest.mark.faults, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def killed_at(rabbit):
    """killed_at("adopt.kept") is a relay that dies there."""

    def run(place):
        given = connection.get_connection_params()
        names = ("host", "port", "user", "password", "dbname")
        conninfo = " ".join(f"{name}={given[name]}" for name in names if given.get(name))
        environment = os.environ | {
            "DATABASE_URL": database_url_as_url(conninfo),
            "DLQ_RABBITMQ_URL": rabbit.url(),
            "DLQ_CRASH_POINT": place,
            "DLQ_HTTPS": "false",
        }
        process = Popen([sys.executable, "manage.py", "relay", "--once"], env=environment)
        assert process.wait(timeout=60) == -9

    return run


@pytest.fixture(params=["classic", "quorum"])
def attached_queues(request, rabbit, rabbitmq_source, transactional_db):
    """A queue of either kind, and its dead-letter queue, which is attached."""
    made = Queues(rabbit.channel(), request.param)
    attachments.attach(made.attached, actor="test")
    yield made
    made.delete()


@pytest.mark.parametrize("place", ["adopt.keeping", "adopt.kept", "adopt.acknowledged"])
def test_a_relay_that_dies_here_loses_and_doubles_nothing(place, killed_at, attached_queues):
    """Messages with an id and without, and without one the same bytes in the same second."""
    queues = attached_queues
    queues.fail(*[b'{"n": 0}'] * 20)
    queues.fail(b'{"n": 1}', message_id="m1")
    killed_at(place)
    kept = 0 if place == "adopt.keeping" else 21
    assert DeadLetter.objects.count() == kept
    queues.fail(*[b'{"n": 0}'] * 5)
    left = 5 if place == "adopt.acknowledged" else 26
    eventually(lambda: queues.waiting() == left)
    relay.run_once(seconds=60)
    assert queues.waiting() == 0
    assert DeadLetter.objects.count() == 26
    assert DeadLetter.objects.filter(occurrences=1).count() == 26
    in_doubt = AttachedQueue.objects.get().in_doubt
    assert len(in_doubt) == (1 if place == "adopt.acknowledged" else 0)
