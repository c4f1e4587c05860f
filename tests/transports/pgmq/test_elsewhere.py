"""PGMQ in another database: the shared suite, the relay, and a death between the two commits."""

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction

from dlqconsole.consuming.consumer import Consumer
from dlqconsole.core.errors import LeaseLost
from dlqconsole.engine.models import Attempt, DeadLetter, Message
from dlqconsole.transports import attachments, relay
from dlqconsole.transports.models import ForwardedMessage
from dlqconsole.transports.pgmq.elsewhere import PgmqElsewhere
from dlqconsole.transports.relay import steps
from dlqconsole.transports.services import close
from tests.plain_sql import value
from tests.transports.conformance import Bench, Conformance
from tests.transports.pgmq.other_database import other_database, queue_elsewhere  # noqa: F401 - fixtures


def name_of(queue):
    return queue.remote_name.partition(".")[2]


class TestElsewhere(Conformance):
    @pytest.fixture
    def bench(self, transactional_db, other_database, queue_elsewhere):  # noqa: F811 - the fixtures
        source = PgmqElsewhere()

        def time_passes():
            other_database.ask(
                f"UPDATE pgmq.q_{queue_elsewhere.partition('.')[2]} SET vt = now() - interval '1 millisecond'"
            )

        yield Bench(
            source, queue_elsewhere, "nowhere", f"pgmq-service:{queue_elsewhere}", time_passes, source.close
        )
        source.close()


@pytest.mark.django_db(transaction=True)
class TestRelay:
    @pytest.fixture
    def attached(self, queue_elsewhere):  # noqa: F811 - the fixture
        return attachments.attach(f"pgmq-service:{queue_elsewhere}", actor="test")

    @pytest.fixture
    def revived(self, attached, letter):
        number = letter("order.created", '{"order_id": 1, "do": "business"}', queue=attached.name)
        assert value("SELECT dead_letter_revive(%s)", number)
        return number

    def on_queue(self, attached, other_database):  # noqa: F811 - the fixture
        table = f"pgmq.q_{name_of(attached)}"
        return other_database.ask(f"SELECT msg_id, headers ->> 'dlq_revive_id' FROM {table} ORDER BY 1")

    def test_there_and_back_again(self, attached, revived, other_database):  # noqa: F811 - the fixture
        assert relay.run_once()["forwarded"] == 1
        [(number, mark)] = self.on_queue(attached, other_database)
        assert mark == f"dlq:{revived}:1"
        assert relay.run_once()["left"] == 0
        other_database.ask("SELECT pgmq.archive(%s, %s::bigint)", name_of(attached), number)
        assert relay.run_once()["left"] == 1
        assert DeadLetter.objects.get().status == "SUCCEEDED"
        assert not ForwardedMessage.objects.exists()

    def test_what_fails_again_is_the_same_dead_letter(self, attached, revived):
        relay.run_once()
        Consumer([attached.name]).run(until_empty=True)
        relay.run_once()
        letter = DeadLetter.objects.get()
        assert (letter.pk, letter.status, letter.error_class) == (revived, "PENDING", "PlaneUnknown")

    def test_what_nobody_completes_is_a_dead_letter_and_archived(
        self,
        attached,
        other_database,  # noqa: F811 - the fixture
    ):
        other_database.ask("SELECT pgmq.send(%s, '{}')", name_of(attached))
        for _ in range(6):
            other_database.ask("SELECT pgmq.read(%s, 0, 1)", name_of(attached))
        assert relay.run_once()["dead-lettered"] == 1
        letter = DeadLetter.objects.get()
        assert letter.error_reason == "DeliveriesExhausted: read 6 times and never completed"
        assert self.on_queue(attached, other_database) == []
        assert len(other_database.ask(f"SELECT 1 FROM pgmq.a_{name_of(attached)}")) == 1

    def test_dying_between_the_commits_keeps_one_dead_letter(
        self,
        attached,
        other_database,  # noqa: F811 - the fixture
        monkeypatch,
    ):
        other_database.ask("SELECT pgmq.send(%s, '{}')", name_of(attached))
        for _ in range(6):
            other_database.ask("SELECT pgmq.read(%s, 0, 1)", name_of(attached))

        def die(*_arguments):
            raise LeaseLost("as if we had died before the message was archived")

        with monkeypatch.context() as patch:
            patch.setattr("dlqconsole.transports.pgmq.elsewhere.put_away", die)
            relay.run_once()
        assert DeadLetter.objects.get().occurrences == 1
        other_database.ask(f"UPDATE pgmq.q_{name_of(attached)} SET vt = now()")
        assert relay.run_once()["dead-lettered"] == 1
        assert DeadLetter.objects.get().occurrences == 1
        assert Attempt.objects.count() == 1
        assert self.on_queue(attached, other_database) == []

    def test_dying_after_sending_sends_the_same_mark(
        self,
        attached,
        revived,
        other_database,  # noqa: F811 - the fixture
    ):
        with transaction.atomic():
            assert steps.forward(attached, 500) == 1
            transaction.set_rollback(True)
        assert Message.objects.count() == 1
        relay.run_once()
        assert [mark for _number, mark in self.on_queue(attached, other_database)] == [f"dlq:{revived}:1"] * 2

    def test_while_it_is_away_everything_waits(self, attached, revived, monkeypatch, tmp_path):
        close()
        (tmp_path / "none").write_text("[there]\nhost=127.0.0.1\nport=1\n")
        with monkeypatch.context() as patch:
            patch.setenv("PGSERVICEFILE", str(tmp_path / "none"))
            assert relay.run_once()["failed"] == 1
            assert Message.objects.get().dlq_event_id == revived
            with pytest.raises(CommandError, match="PGMQ at the service there:"):
                call_command("attach", "pgmq-service:there.other", "--because", "x")
        assert relay.run_once()["forwarded"] == 1

    @pytest.mark.parametrize(
        ("name", "words"),
        [
            ("there", "Write pgmq-service:<service>.<queue>"),
            ("nowhere.orders", "PGMQ at the service nowhere"),
        ],
    )
    def test_a_name_without_a_database_is_one_sentence(self, queue_elsewhere, db, name, words):  # noqa: F811
        with pytest.raises(CommandError, match=words) as refused:
            call_command("attach", f"pgmq-service:{name}", "--because", "x")
        assert "\n" not in str(refused.value)

    def test_its_handlers_cannot_share_a_transaction_with_us(self, attached):
        with pytest.raises(CommandError, match="--transactional is for queues of this database only"):
            call_command("consume", attached.name, "--transactional", "--until-empty")
