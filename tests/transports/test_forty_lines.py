"""A system that no file of the product knows: tried by all, attached, relayed, consumed and revived to."""

import inspect
import re
from pathlib import Path

import orjson
import pytest
from django.core.management import CommandError, call_command
from django.db import transaction

import dlqconsole
from dlqconsole.consuming.consumer import Consumer
from dlqconsole.core.errors import InvalidQueue
from dlqconsole.core.messages import ClaimResult
from dlqconsole.engine.models import Attempt, DeadLetter, EnrichedEvent, Message
from dlqconsole.transports import attachments, registry, relay
from dlqconsole.transports.errors import TransportUnavailable
from dlqconsole.transports.models import ForwardedMessage
from dlqconsole.transports.relay import steps
from dlqconsole.transports.system import System
from tests.plain_sql import execute, value
from tests.transports.conformance import Bench, Conformance
from tests.transports.forty_lines import SYSTEM, FortySource, empty_memory  # noqa: F401 - a fixture

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def forty(empty_memory, monkeypatch) -> FortySource:  # noqa: F811
    """The system, registered, with nothing on its queues."""
    monkeypatch.setitem(registry.systems(), "forty", SYSTEM)
    return FortySource()


@pytest.fixture
def attached(forty):
    call_command("attach", "forty:orders", "--max-deliveries", "2")
    return attachments.find_attached("forty:orders")


@pytest.fixture
def send(forty):
    """send(order_id=1) puts that order on the attached queue, as an event that a handler of ours knows."""

    def put(**data):
        return forty.send("orders", orjson.dumps(data), {"ce_type": "order.created"})

    return put


def die(*_):
    raise KeyboardInterrupt


def let_time_pass():
    for row in FortySource.rows.values():
        row["due"] = 0


class TestFortyLines(Conformance):
    @pytest.fixture
    def bench(self, forty) -> Bench:
        return Bench(forty, "orders", "", "forty:orders", let_time_pass)


def test_its_methods_are_forty_lines():
    lines = [line.strip() for line in inspect.getsource(FortySource).splitlines()]
    code = [line for line in lines if line and not line.startswith(('"""', "def ", "class "))]
    assert len(code) <= 40


def test_no_file_outside_its_folder_names_a_system():
    room = Path(dlqconsole.__file__).parent
    # where the settings stand
    elsewhere = {"transports/pgmq", "transports/mysql", "configuration"}
    named = [
        str(file.relative_to(room.parent))
        for file in [*room.rglob("*.py"), *room.rglob("*.sql"), *room.parent.glob("templates/**/*.html")]
        if not any(file.is_relative_to(room / folder) for folder in elsewhere) and file.name != "settings.py"
        if re.search("pgmq|mysql", file.read_text(), re.IGNORECASE)
    ]
    assert named == []


def test_it_is_attached_and_listed(attached, send, viewer, capsys):
    send(order_id=1)
    call_command("attach", "--list")
    assert capsys.readouterr().out.splitlines()[-1].split() == ["forty:orders", "1", "0", "0", "0", "0", "0"]
    [row] = viewer.get("/queues/").context["attached"]
    assert (row["name"], row["visible"]) == ("forty:orders", 1)


def test_it_is_consumed_by_the_command_of_all_queues(attached, send, capsys):
    for number in range(30):
        send(order_id=number, **({"do": "business"} if number % 10 == 0 else {}))
    call_command("consume", "forty:orders", "--until-empty", "--batch", "7")
    assert capsys.readouterr().out == "27 completed, 3 dead-lettered\n"
    assert EnrichedEvent.objects.filter(source="forty:orders").count() == 27
    letters = DeadLetter.objects.filter(queue="forty:orders", error_class="PlaneUnknown", status="PENDING")
    assert letters.count() == 3
    assert FortySource.rows == {}


def test_it_is_consumed_beside_queues_of_our_own(attached, send):
    send(order_id=1)
    execute("INSERT INTO message_queue (queue, payload) VALUES ('order.created', '{\"order_id\": 2}')")
    assert Consumer(["forty:orders", "order.created"]).run(until_empty=True) == {ClaimResult.COMPLETED: 2}


def test_there_and_back_again(attached, send):
    send(order_id=1, do="business")
    Consumer([attached.name]).run(until_empty=True)
    letter = DeadLetter.objects.get()
    execute("UPDATE dlq_events SET payload = '{\"order_id\": 1}'")
    execute("SELECT dead_letter_revive(%s)", letter.pk)
    assert relay.run_once()["forwarded"] == 1
    assert ForwardedMessage.objects.get().remote_id in FortySource.rows
    assert Consumer([attached.name]).run(until_empty=True) == {ClaimResult.COMPLETED: 1}
    assert relay.run_once()["left"] == 1
    letter.refresh_from_db()
    assert letter.status == "SUCCEEDED"
    record = EnrichedEvent.objects.get()
    assert (record.source, record.source_key) == (letter.source, letter.source_key)


def test_what_fails_again_is_the_same_dead_letter(attached, send):
    send(order_id=1, do="business")
    Consumer([attached.name]).run(until_empty=True)
    execute("SELECT dead_letter_revive(id) FROM dlq_events")
    relay.run_once()
    Consumer([attached.name]).run(until_empty=True)
    letter = DeadLetter.objects.get()
    assert (letter.status, letter.revive_count, letter.occurrences) == ("PENDING", 1, 2)
    assert not ForwardedMessage.objects.exists()


def test_what_nobody_completes_is_a_dead_letter(attached, send, forty):
    send(order_id=1)
    for _ in range(3):
        forty.release(forty.claim("orders", 1, "theirs", 60))
    assert relay.run_once()["dead-lettered"] == 1
    letter = DeadLetter.objects.get()
    assert letter.error_reason == "DeliveriesExhausted: read 3 times and never completed"
    assert letter.retry_count == 3  # the claim that buried it was no try
    assert FortySource.rows == {}


def test_what_keeps_stopping_its_consumers_is_not_tried_again(attached, send, forty):
    send(do="crash")
    for _ in range(3):
        forty.release(forty.claim("orders", 1, "dead", 60))
    assert Consumer([attached.name]).run(until_empty=True) == {ClaimResult.DEAD: 1}


def test_dying_between_the_two_systems_sends_nothing_twice(attached, letter):
    execute("SELECT dead_letter_revive(%s)", letter(queue=attached.name))
    for _ in range(3):
        with transaction.atomic():
            assert steps.forward(attached, 500) == 1
            transaction.set_rollback(True)  # as if we had died before our own commit
    assert relay.run_once()["forwarded"] == 1
    assert (len(FortySource.rows), Message.objects.count()) == (1, 0)


def test_dying_before_the_message_is_removed_leaves_one_dead_letter(attached, send, monkeypatch):
    send(order_id=1, do="business")
    with monkeypatch.context() as patch:
        patch.setattr(FortySource, "complete", die)
        with pytest.raises(KeyboardInterrupt):
            Consumer([attached.name]).run(until_empty=True)
    let_time_pass()
    assert Consumer([attached.name]).run(until_empty=True) == {ClaimResult.DEAD: 1}
    assert (DeadLetter.objects.get().occurrences, Attempt.objects.count()) == (1, 1)
    assert FortySource.rows == {}


def test_while_it_does_not_answer_the_other_queues_go_on(attached, send, monkeypatch, caplog):
    def away(*_):
        raise TransportUnavailable("Forty lines are away.")

    send(order_id=1)
    execute("INSERT INTO message_queue (queue, payload) VALUES ('order.created', '{\"order_id\": 2}')")
    with monkeypatch.context() as patch:
        patch.setattr(FortySource, "claim", away)
        assert Consumer([attached.name, "order.created"]).run(until_empty=True) == {ClaimResult.COMPLETED: 1}
    assert "forty:orders does not answer, trying again: Forty lines are away." in caplog.text
    assert Consumer([attached.name]).run(until_empty=True) == {ClaimResult.COMPLETED: 1}


def test_a_failing_queue_is_left_alone_as_ours_are(attached, send, waits_are_long):
    for number in range(30):
        send(order_id=number, do="dependency")
    assert Consumer([attached.name]).run(until_empty=True) == {ClaimResult.LATER: 20}
    assert value("SELECT key FROM breakers WHERE state = 'open'") == "type:order.created"


def test_what_cannot_commit_with_us_is_not_handled_in_our_transaction(attached):
    with pytest.raises(
        CommandError, match="for queues of this database only, and forty:orders is in another"
    ):
        call_command("consume", attached.name, "--transactional")


def test_messages_that_share_a_lease_are_claimed_one_by_one(attached, send, monkeypatch):
    monkeypatch.setattr(FortySource, "leases_per_message", False)
    limits = []
    claim = FortySource.claim

    def noted(self, queue, limit, *more):
        limits.append(limit)
        return claim(self, queue, limit, *more)

    monkeypatch.setattr(FortySource, "claim", noted)
    for number in range(3):
        send(order_id=number)
    assert Consumer([attached.name]).run(until_empty=True) == {ClaimResult.COMPLETED: 3}
    assert set(limits) == {1}


def test_what_could_revive_a_dead_letter_twice_is_not_attached(monkeypatch):
    class Forgetful(FortySource):
        deduplicates = False

    monkeypatch.setitem(registry.systems(), "forgetful", System("forgetful", "Forgetful", Forgetful))
    with pytest.raises(InvalidQueue, match="Queues of Forgetful cannot be attached"):
        attachments.attach("forgetful:orders", actor="test")


def test_a_queue_whose_system_is_not_here_is_listed_with_the_reason_and_goes_nowhere(attached, monkeypatch):
    monkeypatch.delitem(registry.systems(), "forty")
    execute("INSERT INTO message_queue (queue, payload) VALUES ('forty:orders', '{}')")
    [listed] = attachments.attachments(None)
    assert listed.problem.startswith("There is no system 'forty' here")
    assert relay.run_once()["failed"] == 1
    assert Message.objects.get().queue == "forty:orders"
