"""What every source must do, whatever is below it. Each is tried on a queue of its own."""

import json
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import orjson
import pytest

from dlqconsole.core import successes
from dlqconsole.core.errors import EngineError, InvalidMessage, LeaseLost
from dlqconsole.core.handling import HandlerResult, Identity
from dlqconsole.core.lifecycle.states import DeadLetterStatus
from dlqconsole.engine.models import DeadLetter, EnrichedEvent
from dlqconsole.processing.events import event_digest
from dlqconsole.processing.outcomes import Failed, Succeeded
from dlqconsole.transports.source import Delivery, Source
from dlqconsole.transports.target import Target
from tests.keeper import keeper, kept
from tests.plain_sql import row
from tests.threads import at_once

PAYLOADS = [
    '{"order_id": 1}',
    '{"name": "Žofie 東京 🛫", "quoted": "\\"\\\\/"}',
    '{"big": 12345678901234567890123, "exact": 0.1000000000000000055511151231257827, "tiny": 0.30}',
    "[1, [2, {}], null, true]",
    '"just text"',
    "null",
]
HEADERS = {"ce_type": "order.created", "Žofie": "東京", "empty": ""}
REFUSED = Failed("Refused: billing said no", "BUSINESS", "Refused", "Traceback …")


def one_id(bench: "Bench", message: Delivery) -> Identity:
    """Every message comes under the same name."""
    digest = event_digest(orjson.loads(message.payload or ""), None)
    return Identity("order.created", bench.name, "7", digest=digest)


@dataclass(frozen=True)
class Bench:
    """A source on trial. ``queue`` is empty; ``impossible`` is a name that no queue of it has.

    ``time_passes`` lets every lease and every delay of the queue run out, as an hour's wait would.
    ``name`` is the queue's name in the console. ``close`` ends what a thread opened.
    """

    source: Source | Target
    queue: str
    impossible: str
    name: str
    time_passes: Callable[[], None]
    close: Callable[[], None] = lambda: None

    def send(self, **data: object) -> str:
        return self.source.send(self.queue, orjson.dumps(data))

    def claim(self, limit: int = 10, owner: str = "me", lease_seconds: float = 60) -> list[Delivery]:
        return self.source.claim(self.queue, limit, owner, lease_seconds)

    def claim_one(self, **more) -> Delivery:
        [message] = self.claim(1, **more)
        return message

    def bury(self, message: Delivery) -> int:
        identity = Identity("order.created", self.name, message.id)
        return self.source.dead_letter(message, identity, REFUSED, DeadLetterStatus.PENDING)

    def counts(self) -> tuple[int, int, int]:
        metrics = self.source.metrics(self.queue)
        return metrics.visible, metrics.in_flight, metrics.scheduled


# Emptying only the engine's tables after each test takes a third of the time.
@pytest.mark.django_db(transaction=True, available_apps=["dlqconsole.engine"])
class Refusals:
    """What every source refuses to send."""

    @pytest.mark.parametrize("seconds", [-1, -0.001, float("nan"), float("inf"), 1e12])
    def test_a_delay_that_is_none_is_refused_with_one_sentence(self, bench, seconds):
        with pytest.raises(InvalidMessage) as refused:
            bench.source.send(bench.queue, "{}", delay_seconds=seconds)
        assert _is_a_sentence(refused.value)
        assert bench.counts() == (0, 0, 0)

    def test_a_header_that_nothing_can_hold_is_refused_with_one_sentence(self, bench):
        with pytest.raises(InvalidMessage) as refused:
            bench.source.send(bench.queue, "{}", {"nul": "\x00"})
        assert _is_a_sentence(refused.value)
        assert bench.counts() == (0, 0, 0)

    def test_a_queue_that_cannot_be_is_refused_with_one_sentence(self, bench):
        with pytest.raises(EngineError) as refused:
            bench.source.send(bench.impossible, "{}")
        assert _is_a_sentence(refused.value)


class SendingConformance(Refusals):
    """What a source must do that only sends. Subclass it with fixtures ``bench`` and ``sent``.

    ``sent()`` gives what stands there: the bytes and the headers of each message, in order.
    """

    @pytest.mark.parametrize("payload", PAYLOADS)
    def test_a_payload_comes_out_as_it_went_in(self, bench, sent, payload):
        bench.source.send(bench.queue, payload)
        assert sent() == [(payload.encode(), {})]

    def test_headers_come_out_as_they_went_in(self, bench, sent):
        bench.source.send(bench.queue, "{}", HEADERS)
        assert sent() == [(b"{}", HEADERS)]

    def test_what_is_repeated_carries_the_same_mark(self, bench, sent):
        for _ in range(2):
            bench.source.send(bench.queue, "{}", dedupe_key="dlq:1:1")
        marks = [headers for _payload, headers in sent()]
        assert len({tuple(each.items()) for each in marks}) == 1
        assert (len(marks), bench.source.marks_repeats) == (2, True)

    def test_nothing_can_be_claimed_and_one_sentence_says_why(self, bench):
        assert not isinstance(bench.source, Source)
        assert _is_a_sentence(bench.source.not_claimed)

    def test_it_counts_what_stands_there(self, bench):
        bench.send(n=1)
        assert bench.counts() == (1, 0, 0)


@pytest.mark.django_db(transaction=True, available_apps=["dlqconsole.engine"])
class Conformance(Refusals):
    """Subclass it with a fixture ``bench``."""

    def test_messages_come_in_the_order_in_which_they_were_sent(self, bench):
        sent = [bench.send(n=number) for number in range(5)]
        claimed = bench.claim(3) + bench.claim(3)
        assert [message.id for message in claimed] == sent
        assert {message.queue for message in claimed} == {bench.queue}
        assert {message.attempts for message in claimed} == {1}

    def test_what_is_claimed_is_hidden_from_everybody(self, bench):
        bench.send(n=1)
        bench.claim_one()
        assert bench.claim(owner="you") == []

    def test_a_lease_that_ran_out_gives_the_message_to_another(self, bench):
        bench.send(n=1)
        first = bench.claim_one()
        bench.time_passes()
        second = bench.claim_one(owner="you")
        assert (second.id, second.attempts) == (first.id, 2)
        assert second.receipt != first.receipt

    def test_a_lease_runs_out_by_the_clock_and_an_extended_one_does_not(self, bench):
        short, long = bench.send(n=1), bench.send(n=2)
        claimed = bench.claim(lease_seconds=1)
        assert bench.source.extend(claimed[1:], 60) == {long}
        time.sleep(1.2)
        assert [message.id for message in bench.claim(owner="you")] == [short]

    @pytest.mark.parametrize("act", ["complete", "extend", "release", "release later", "dead letter"])
    def test_a_stale_token_changes_nothing(self, bench, act):
        bench.send(n=1)
        stale = bench.claim_one()
        bench.time_passes()
        fresh = bench.claim_one(owner="you")
        match act:
            case "complete":
                assert bench.source.complete([stale]) == set()
            case "extend":
                assert bench.source.extend([stale], 3600) == set()
            case "release":
                assert bench.source.release([stale]) == set()
            case "release later":
                assert bench.source.release([stale], delay_seconds=60) == set()
            case "dead letter":
                with pytest.raises(LeaseLost, match=stale.id):
                    bench.bury(stale)
                assert not DeadLetter.objects.exists()
        assert bench.claim(owner="they") == []
        assert bench.source.complete([fresh]) == {fresh.id}

    def test_what_is_put_back_comes_again_later_for_anybody(self, bench):
        sent = [bench.send(n=number) for number in range(2)]
        claimed = bench.claim()
        assert bench.source.put_back(claimed, "unheard.of", delay_seconds=60) == set(sent)
        assert bench.claim(owner="you") == []
        assert bench.source.complete(claimed) == set()
        bench.time_passes()
        again = bench.claim(owner="you")
        assert [message.id for message in again] == sent
        if type(bench.source).put_back is not Source.put_back:  # it can take a claim back
            assert [message.attempts for message in again] == [1, 1]
        assert bench.source.put_back([], "unheard.of", delay_seconds=1) == set()

    def test_of_several_only_those_that_are_still_held_change(self, bench):
        for number in range(3):
            bench.send(n=number)
        lost, *held = bench.claim()
        bench.source.complete([lost])
        assert bench.source.complete([*held, lost]) == {message.id for message in held}
        assert bench.source.complete([]) == set()

    def test_what_is_completed_is_gone_for_good(self, bench):
        bench.send(n=1)
        message = bench.claim_one()
        assert bench.source.complete([message]) == {message.id}
        assert bench.source.complete([message]) == set()
        bench.time_passes()
        assert bench.claim() == []
        assert bench.counts() == (0, 0, 0)

    def test_features_keep_what_it_finished(self, bench, monkeypatch):
        monkeypatch.setattr(successes, "_keepers", [keeper])
        bench.send(n=1)
        message = bench.claim_one()
        handled = HandlerResult(Identity("order.created", bench.name, message.id), Succeeded(None, "null"))
        bench.source.finish([(message, handled)])
        assert [words.replace(" ", "") for words in kept()] == ['order.created{"n":1}']

    def test_other_bytes_under_an_id_that_succeeded_are_another_event(self, bench):
        """However they come: with the first, after it, once more, and with bytes that are the same."""
        for batch in ([1, 2, 1], [3, 2], [1, 4]):
            for number in batch:
                bench.send(n=number)
            done = [
                (message, HandlerResult(one_id(bench, message), Succeeded(None, str(message.payload))))
                for message in bench.claim()
            ]
            assert len(bench.source.finish(done)) == len(batch)
        kept = EnrichedEvent.objects.order_by("id").values_list("source_key", "record")
        assert [record["n"] for _key, record in kept] == [1, 2, 3, 4]
        assert [key.partition(":")[0] for key, _record in kept] == ["7"] * 4

    def test_what_has_not_left_its_queue_is_still_there(self, bench):
        waiting, held, gone = (bench.send(n=number) for number in range(3))
        claimed = {message.id: message for message in bench.claim()}
        bench.source.release([claimed[waiting]])
        bench.source.complete([claimed[gone]])
        assert bench.source.still_there(bench.queue, [waiting, held, gone]) == {waiting, held}
        assert bench.source.still_there(bench.queue, []) == set()

    def test_what_is_released_can_be_claimed_at_once(self, bench):
        bench.send(n=1)
        message = bench.claim_one()
        assert bench.source.release([message]) == {message.id}
        again = bench.claim_one(owner="you")
        assert (again.id, again.payload) == (message.id, message.payload)

    def test_what_is_released_for_later_can_be_claimed_later(self, bench):
        bench.send(n=1)
        message = bench.claim_one()
        assert bench.source.release([message], delay_seconds=60) == {message.id}
        assert bench.claim(owner="you") == []
        bench.time_passes()
        assert bench.claim_one(owner="you").id == message.id

    def test_a_message_for_later_is_hidden_until_its_time(self, bench):
        later = bench.source.send(bench.queue, '{"n": 1}', delay_seconds=60)
        now = bench.send(n=2)
        assert [message.id for message in bench.claim()] == [now]
        bench.time_passes()
        assert later in {message.id for message in bench.claim(owner="you")}

    def test_a_delay_is_counted_in_parts_of_a_second(self, bench):
        bench.source.send(bench.queue, "{}", delay_seconds=0.3)
        assert bench.claim() == []
        time.sleep(0.35)
        assert len(bench.claim()) == 1

    def test_four_consumers_at_once_never_share_a_message(self, bench):
        sent = [bench.send(n=number) for number in range(120)]
        seen: Counter[str] = Counter()

        def consume(owner: str) -> None:
            try:
                while claimed := bench.claim(7, owner):
                    done = bench.source.complete(claimed)
                    assert done == {message.id for message in claimed}
                    seen.update(done)
            finally:
                bench.close()

        at_once([partial(consume, f"consumer {n}") for n in range(4)])
        assert seen == Counter(sent)

    @pytest.mark.parametrize("payload", PAYLOADS)
    def test_a_payload_comes_out_as_it_went_in(self, bench, payload):
        bench.source.send(bench.queue, payload)
        message = bench.claim_one()
        text = message.payload if message.payload_raw is None else message.payload_raw.decode()
        assert _exactly(text) == _exactly(payload)

    def test_headers_come_out_as_they_went_in(self, bench):
        bench.source.send(bench.queue, "{}", HEADERS)
        bench.source.send(bench.queue, "{}")
        with_headers, without = bench.claim()
        assert dict(with_headers.headers) == HEADERS
        assert dict(without.headers) == {}

    def test_a_dead_letter_keeps_the_message_and_takes_it_off_its_queue(self, bench):
        bench.source.send(bench.queue, '{"total": 12345678901234567890.10}', {"trace": "t1"})
        message = bench.claim_one()
        number = bench.bury(message)
        letter = DeadLetter.objects.get(pk=number)
        assert (letter.queue, letter.original_message_id) == (bench.name, number_of(message.id))
        assert (letter.status, letter.error_reason) == ("PENDING", "Refused: billing said no")
        assert (letter.event_type, letter.source_key) == ("order.created", message.id)
        assert letter.headers == {"trace": "t1"}
        assert row("SELECT payload::text FROM dlq_events") == ('{"total": 12345678901234567890.10}',)
        bench.time_passes()
        assert bench.claim() == []
        assert bench.counts() == (0, 0, 0)

    def test_a_message_is_dead_lettered_once(self, bench):
        bench.send(n=1)
        message = bench.claim_one()
        bench.bury(message)
        with pytest.raises(LeaseLost):
            bench.bury(message)
        assert bench.source.complete([message]) == set()
        assert DeadLetter.objects.get().occurrences == 1

    def test_the_numbers_are_the_queue_s(self, bench):
        assert bench.counts() == (0, 0, 0)
        assert bench.source.metrics(bench.queue).oldest_due_seconds is None
        bench.source.send(bench.queue, "{}", delay_seconds=60)
        for number in range(3):
            bench.send(n=number)
        bench.claim_one()
        metrics = bench.source.metrics(bench.queue)
        assert (metrics.name, *bench.counts()) == (bench.queue, 2, 1, 1)
        assert 0 <= metrics.oldest_due_seconds < 60

    @pytest.mark.parametrize("payload", ["", "not JSON", b"\xff", '{"n": 1}{', '{"nul": "\\u0000"}'])
    def test_what_is_not_json_is_refused_with_one_sentence(self, bench, payload):
        with pytest.raises(InvalidMessage) as refused:
            bench.source.send(bench.queue, payload)
        assert _is_a_sentence(refused.value)
        assert bench.counts() == (0, 0, 0)

    def test_what_is_too_large_is_refused_with_one_sentence(self, bench, settings):
        settings.DLQ_MAX_PAYLOAD_BYTES = 1000
        with pytest.raises(InvalidMessage, match="more than 1,000") as refused:
            bench.source.send(bench.queue, orjson.dumps({"text": "x" * 1000}))
        assert _is_a_sentence(refused.value)
        assert bench.counts() == (0, 0, 0)


def number_of(message_id: str) -> int | None:
    """What ``dlq_events`` keeps of a message's id: a number, where it is one."""
    return int(message_id) if message_id.isdecimal() else None


def _exactly(text: str) -> object:
    """Numbers as they were written: JSON compared to the last digit."""
    return json.loads(text, parse_int=str, parse_float=str)


def _is_a_sentence(error: object) -> bool:
    text = str(error)
    return "\n" not in text and text[:1].isupper() and text.endswith(".")
