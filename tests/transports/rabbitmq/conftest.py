"""A dead-letter queue that is attached, and what comes of it."""

import pytest

from dlqconsole.engine.models import DeadLetter
from dlqconsole.transports import attachments, relay
from tests.plain_sql import execute
from tests.rabbitmq_server import queues, rabbit, rabbitmq_source  # noqa: F401 - fixtures


@pytest.fixture
def attached(queues, transactional_db):  # noqa: F811 - the fixture
    """The dead-letter queue, attached."""
    return attachments.attach(queues.attached, actor="test")


@pytest.fixture
def taken_over(attached):
    """taken_over() runs the relay once; the dead letters that there are then, in order."""

    def take():
        assert relay.run_once(seconds=60)["failed"] == 0
        return list(DeadLetter.objects.order_by("id"))

    return take


@pytest.fixture
def revive(attached):
    """revive(letter) puts it back, and the relay forwards it; what it counted."""

    def put_back(letter):
        execute("SELECT dead_letter_revive(%s)", letter.pk)
        return relay.run_once()

    return put_back
