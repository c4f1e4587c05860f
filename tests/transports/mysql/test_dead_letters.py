"""A MySQL message becomes a dead letter: PostgreSQL first, and however often it is tried, once."""

import json
import time

import pytest
from django.db import DataError, transaction

from dlqconsole.core.errors import LeaseLost
from dlqconsole.core.handling import Identity
from dlqconsole.core.lifecycle.states import DeadLetterStatus
from dlqconsole.engine.models import Attempt, DeadLetter
from dlqconsole.processing.outcomes import Failed
from dlqconsole.transports.identities import identify_message
from tests.plain_sql import execute

pytestmark = pytest.mark.django_db(transaction=True)

FAILED = Failed("Refused: billing said no", "TRANSIENT", "Refused", "Traceback …")
FAILED_ANEW = Failed("Gone: billing is closed", "PERMANENT", "Gone", "")
EVENT = {"specversion": "1.0", "id": "a-1", "source": "/shop", "type": "order.created", "data": {"n": 1}}


@pytest.fixture
def bury(mysql_transport):
    """bury() claims the next message and makes it a dead letter; the dead letter, read again."""

    def one(failure=FAILED, status=DeadLetterStatus.PENDING, identity=None):
        [delivery] = mysql_transport.claim("orders", 1, "me", 60)
        identity = identity or identify_message(delivery, "mysql:orders")
        return DeadLetter.objects.get(pk=mysql_transport.dead_letter(delivery, identity, failure, status))

    return one


def test_it_is_kept_with_all_that_is_known_and_leaves_its_queue(mariadb, mysql_transport, bury):
    sent = mysql_transport.send("orders", '{"order_id": 7}', {"tenant": "north"})
    letter = bury()
    assert (letter.source, letter.source_key) == ("mysql:orders", sent)
    assert (letter.queue, letter.original_message_id) == ("mysql:orders", int(sent))
    assert (letter.payload, letter.headers) == ({"order_id": 7}, {"tenant": "north"})
    assert (letter.status, letter.error_class, letter.occurrences) == ("PENDING", "Refused", 1)
    attempt = Attempt.objects.get(dlq_event_id=letter.pk)
    assert attempt.worker.startswith(f"mysql:orders/{sent} sent 20")
    assert attempt.worker.endswith(" UTC, held by me")
    assert mariadb.ask("SELECT COUNT(*) FROM dlq_message_queue") == [(0,)]


def test_an_event_that_names_itself_is_one_row_whatever_message_brings_it(mariadb, bury):
    for _ in range(2):
        mariadb.put(json.dumps(EVENT))
    first, second = bury(), bury(FAILED_ANEW)
    assert (first.pk, first.source, first.source_key) == (second.pk, "/shop", "a-1")
    assert (second.occurrences, second.error_class) == (2, "Gone")


@pytest.mark.parametrize("raw", [b"\xff\xfe{", b"", b'{"a": "\x00"}', b"[" * 100_000])
def test_what_cannot_be_decoded_keeps_its_exact_bytes(raw, mariadb, bury):
    mariadb.put(raw)
    letter = bury(status=DeadLetterStatus.QUARANTINED)
    assert (letter.status, bytes(letter.payload_raw)) == ("QUARANTINED", raw)


def test_a_lost_lease_is_reported_and_changes_nothing_in_either_database(mariadb, mysql_transport):
    mariadb.put()
    [late] = mysql_transport.claim("orders", 1, "me", 0)
    [holder] = mysql_transport.claim("orders", 1, "other", 60)
    with pytest.raises(LeaseLost, match=f"message {late.id}"):
        mysql_transport.dead_letter(late, Identity("orders", "s", "k"), FAILED, DeadLetterStatus.PENDING)
    assert not DeadLetter.objects.exists()
    assert mysql_transport.complete([holder]) == {holder.id}


def test_repeated_for_the_same_claim_it_is_lost_not_counted_twice(mariadb, mysql_transport):
    mariadb.put()
    [claimed] = mysql_transport.claim("orders", 1, "me", 60)
    identity = identify_message(claimed, "mysql:orders")
    mysql_transport.dead_letter(claimed, identity, FAILED, DeadLetterStatus.PENDING)
    with pytest.raises(LeaseLost):
        mysql_transport.dead_letter(claimed, identity, FAILED, DeadLetterStatus.PENDING)
    assert DeadLetter.objects.get().occurrences == 1


@pytest.mark.parametrize("message", ['{"order_id": 1}', json.dumps(EVENT)])
def test_a_message_that_comes_back_is_the_same_dead_letter_however_it_fails_the_next_time(
    message, mariadb, bury
):
    sent = mariadb.put(message)
    first = bury()
    # as if its consumer had died before the delete: the row is there again, as it was
    created = Attempt.objects.get().worker.partition(" sent ")[2].partition(" UTC")[0]
    mariadb.put(message, id=sent, created_at=created, attempts=1)
    again = bury(FAILED_ANEW)
    assert (again.pk, again.occurrences, again.version) == (first.pk, 1, first.version)
    assert Attempt.objects.count() == 1
    assert mariadb.ask("SELECT COUNT(*) FROM dlq_message_queue") == [(0,)]


def test_an_id_that_came_again_after_a_truncate_is_another_message_and_nothing_is_lost(mariadb, bury):
    sent = mariadb.put('{"order_id": 1}')
    first = bury()
    mariadb.put('{"order_id": 2}', id=sent)
    second = bury()
    assert first.payload != second.payload
    assert second.source_key.startswith(f"{sent} sent 20")
    assert DeadLetter.objects.count() == 2


def revive(letter):
    execute("SELECT dead_letter_revive(%s)", letter.pk)
    execute(
        "WITH gone AS (DELETE FROM message_queue RETURNING dlq_event_id, revive_seq)"
        " INSERT INTO forwarded_messages (dlq_event_id, revive_seq, queue, remote_id)"
        " SELECT dlq_event_id, revive_seq, 'mysql:orders', '0' FROM gone"
    )
    letter.refresh_from_db()
    return {"x-dlq-event-id": str(letter.pk), "x-dlq-revive-seq": str(letter.revive_count)}


def test_a_revived_message_that_fails_again_is_the_same_row_with_its_revivals_counted(
    mariadb, mysql_transport, bury
):
    mariadb.put('{"order_id": 1}')
    letter = bury()
    headers = revive(letter)
    sent = mysql_transport.send("orders", '{"order_id": 1}', headers)
    returned = bury(FAILED_ANEW)
    assert returned.pk == letter.pk
    assert (returned.status, returned.revive_count, returned.occurrences) == ("PENDING", 1, 2)
    assert returned.error_class == "Gone"
    # and once more after a death in between, even though a person revived it meanwhile
    created = Attempt.objects.latest("id").worker.partition(" sent ")[2].partition(" UTC")[0]
    revive(letter)
    mariadb.put('{"order_id": 1}', id=sent, created_at=created, headers=json.dumps(headers))
    late = bury()
    assert (late.pk, late.status, late.occurrences) == (letter.pk, "REVIVED", 2)


@pytest.mark.parametrize(
    "headers",
    [
        {"x-dlq-event-id": "junk", "x-dlq-revive-seq": "1"},
        {"x-dlq-event-id": "9" * 400, "x-dlq-revive-seq": "1"},
        {"x-dlq-event-id": "123456789", "x-dlq-revive-seq": "7"},
        {"x-dlq-event-id": "1"},
    ],
)
def test_headers_that_name_no_revival_of_ours_make_a_dead_letter_of_its_own(headers, mysql_transport, bury):
    mysql_transport.send("orders", "{}", headers)
    letter = bury()
    assert (letter.occurrences, letter.headers) == (1, {})


def test_a_message_is_never_removed_before_its_dead_letter_is_committed(mariadb, mysql_transport):
    mariadb.put()
    [claimed] = mysql_transport.claim("orders", 1, "me", 60)
    identity = identify_message(claimed, "mysql:orders")
    with pytest.raises(RuntimeError, match="durable"), transaction.atomic():
        mysql_transport.dead_letter(claimed, identity, FAILED, DeadLetterStatus.PENDING)
    assert mysql_transport.complete([claimed]) == {claimed.id}


def test_when_postgresql_refuses_the_message_stays_on_its_queue(mariadb, mysql_transport):
    mariadb.put()
    [claimed] = mysql_transport.claim("orders", 1, "me", 0.2)
    broken = Identity("orders", "s", "a\x00b")
    with pytest.raises(DataError, match="NUL"):
        mysql_transport.dead_letter(claimed, broken, FAILED, DeadLetterStatus.PENDING)
    time.sleep(0.25)
    assert [delivery.id for delivery in mysql_transport.claim("orders", 1, "me", 60)] == [claimed.id]
