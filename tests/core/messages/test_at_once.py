"""Two consumers succeed with two events under one id in the same moment: both records are kept."""

import threading
import uuid
from datetime import UTC, datetime

import pytest
from django.db import connection

from dlqconsole.core import messages
from dlqconsole.core.handling import HandlerResult, Identity
from dlqconsole.core.transient_errors import retry_transient
from dlqconsole.engine.database.sessions import own_connection
from dlqconsole.engine.models import EnrichedEvent, Message
from dlqconsole.processing.outcomes import Succeeded
from tests.waiting import eventually

WRITE = """
    INSERT INTO enriched_events (event_type, source, source_key, record, digest)
    VALUES ('order.created', 'shop', '7', '{"by": "theirs"}', %s)
"""
WAITS = """
    SELECT count(*) FROM pg_stat_activity
    WHERE wait_event_type = 'Lock' AND datname = current_database() AND query LIKE '%message_remove%'
"""
THEIRS, OURS = str(uuid.UUID(int=1)), str(uuid.UUID(int=2))


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("their_bytes", "records"), [(THEIRS, {"theirs", "ours"}), (OURS, {"theirs"})])
def test_what_another_writes_in_this_moment_is_told_apart_by_its_bytes(send, their_bytes, records):
    send(order_id=7)
    done, errors = threading.Event(), []

    def complete() -> None:
        try:
            [claim] = messages.claim("order.created", 1, "me", 60)
            who = Identity("order.created", "shop", "7", datetime.now(UTC), OURS)
            handled = HandlerResult(who, Succeeded(None, '{"by": "ours"}'))
            retry_transient(lambda: messages.complete_handled([(claim, handled)]))
        except Exception as error:
            errors.append(error)
        finally:
            connection.close()
            done.set()

    with own_connection() as theirs, own_connection() as looking:
        with theirs.transaction():
            theirs.execute(WRITE, [their_bytes])
            worker = threading.Thread(target=complete)
            worker.start()
            eventually(lambda: done.is_set() or looking.execute(WAITS).fetchone()[0])
        worker.join()
    assert errors == []
    assert {record["by"] for record in EnrichedEvent.objects.values_list("record", flat=True)} == records
    assert not Message.objects.exists()
