"""The grants of docs/queue-pgmq.md, given to the product's own role: all that it does there works."""

from pathlib import Path

import pytest

from dlqconsole.consuming.consumer import Consumer
from dlqconsole.engine.models import DeadLetter, Message
from dlqconsole.operations.kinds.purge_queue import PurgeQueue
from dlqconsole.operations.models import Operation
from dlqconsole.operations.requests.request import OperationRequest
from dlqconsole.operations.requests.scope import QueueMessages
from dlqconsole.operations.requests.service import request_operation
from dlqconsole.operations.work import run
from dlqconsole.transports import attachments, message_actions, policies, relay
from dlqconsole.transports.message_actions import browser_of
from dlqconsole.transports.registry import transport_of
from tests.pgmq_sql import pgmq_sql
from tests.plain_sql import execute

NAME = "pgmq:granted"
WHO = {"actor": "user:1", "reason": "x"}


@pytest.fixture
def granted(emptied):
    """A PGMQ queue in the database of the roles, and the documented grants."""
    documented = Path("docs/queue-pgmq.md").read_text().partition("```sql")[2].partition("```")[0]
    assert documented.count("GRANT") == 3
    owner = emptied.owner()
    owner.execute(pgmq_sql())
    owner.execute("SELECT pgmq.create('granted')")
    app = emptied.role("app").as_string(owner)
    owner.execute(documented.replace("dlq_app", app))
    with emptied.as_role("app"):
        yield owner
    owner.execute("DROP SCHEMA pgmq CASCADE")
    owner.execute("DELETE FROM attached_queues")
    emptied.empty()


def test_the_product_does_all_that_it_does_there(granted, settings):
    settings.DLQ_HANDLERS = "tests.sample_handlers"
    attachments.attach(NAME, actor="user:1")
    source, queue = transport_of(NAME)

    # read too often: a dead letter; revived, forwarded, completed
    source.send(queue, '{"order_id": 1}')
    for _ in range(6):
        source.release(source.claim(queue, 1, "theirs", 60))
    assert relay.run_once()["dead-lettered"] == 1
    execute("SELECT dead_letter_revive(%s)", DeadLetter.objects.get().pk)
    assert relay.run_once()["forwarded"] == 1
    source.complete(source.claim(queue, 1, "theirs", 60))
    assert relay.run_once()["left"] == 1
    assert DeadLetter.objects.get().status == "SUCCEEDED"

    # a consumer of ours
    source.send(queue, '{"order_id": 2}', {"ce_type": "order.created"})
    source.send(queue, '{"order_id": 3, "do": "business"}', {"ce_type": "order.created"})
    assert sum(Consumer([NAME]).run(until_empty=True).values()) == 2

    # a person
    later = int(source.send(queue, "{}", delay_seconds=3600))
    message_actions.make_due(NAME, later, **WHO)
    browser, _queue = browser_of(NAME)
    assert [row["id"] for row in browser.page(queue, "live").rows] == [later]
    assert browser.message(queue, later)["text"] == "{}"
    message_actions.delete(NAME, later, **WHO)
    assert policies.pause(NAME, **WHO)
    Message.objects.create(queue=NAME, payload={})
    assert relay.run_once()["forwarded"] == 0
    assert policies.resume(NAME, **WHO)
    assert relay.run_once()["forwarded"] == 1
    source.send(queue, "{}")
    wanted = OperationRequest(PurgeQueue.name, QueueMessages.now(NAME), "x", typed_count=2)
    request_operation(wanted, actor="cli:root", by_policy=True)
    run.take_up()
    assert Operation.objects.get().done == 2
    assert source.metrics(queue).visible == 0
    attachments.detach(NAME, actor="user:1")
