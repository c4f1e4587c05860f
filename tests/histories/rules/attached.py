"""A queue of another system: PGMQ's, with consumers of theirs and with ours, and the relay."""

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from dlqconsole.core.lifecycle.states import DeadLetterStatus as S
from dlqconsole.transports import relay
from dlqconsole.transports.pgmq.source import PgmqSource
from tests.histories.contents import EVENTS
from tests.histories.database import as_time_passes
from tests.histories.failing_handlers import Failure
from tests.histories.ledger import Delivery, Letter
from tests.histories.rules.base import ATTACHED, OUTCOMES, PLACES, REMOTE, at
from tests.histories.rules.consumers import Consumers
from tests.plain_sql import execute, rows, value

# so often a message may be read
MOST_READS = 5


class Attached(Consumers):
    """Their messages, and our dead letters on their queue."""

    def __init__(self) -> None:
        super().__init__()
        self.pgmq = PgmqSource()
        # what their consumers have completed, until the relay looks
        self.completed_there: list[Letter] = []

    @rule(event=EVENTS.filter(lambda event: event != "exact"))
    def send_to_theirs(self, event):
        made = self.payload(event)
        self.sent(ATTACHED, value("SELECT pgmq.send(%s, %s::jsonb)", REMOTE, made.body), made)

    @precondition(lambda self: self.theirs())
    @rule(limit=st.integers(1, 2))
    def claim_some_of_theirs(self, limit):
        self.take(self.pgmq, REMOTE, limit)

    @precondition(lambda self: self.theirs())
    @rule(outcome=OUTCOMES)
    def consume_one_of_theirs(self, outcome):
        self.consume(self.pgmq, REMOTE, outcome, 2)

    @precondition(lambda self: self.theirs())
    @rule(times=st.sampled_from([1, MOST_READS + 1]))
    def they_read_and_complete_nothing(self, times):
        for _ in range(times):
            for (number,) in rows("SELECT msg_id FROM pgmq.read(%s, 0, 100)", REMOTE):
                one = self.ledger.deliveries[ATTACHED, number]
                one.attempts += 1
                one.holder = None

    @precondition(lambda self: self.theirs())
    @rule(place=PLACES, keep=st.booleans())
    def they_complete_one(self, place, keep):
        one = at(place, self.theirs())
        execute(f"SELECT pgmq.{'archive' if keep else 'delete'}(%s, %s::bigint)", REMOTE, one.id)
        self.ledger.drift(one)
        if one.letter is not None:
            self.completed_there.append(one.letter)

    @rule()
    def relay(self):
        """Ours go there, what was read too often comes here, what has left has succeeded."""
        readable = self.readable()
        exhausted = [one for one in self.theirs() if one.attempts > MOST_READS and one.id in readable]
        waiting = [one for one in self.ledger.standing_on(ATTACHED) if not one.is_elsewhere]
        assert relay.run_once()["failed"] == 0
        for one in waiting:
            self.forwarded(one)
        for one in exhausted:
            said = f"DeliveriesExhausted: read {one.attempts} times and never completed"
            self.buried(one, Failure(said, "UNKNOWN", ""))
        for letter in self.completed_there:
            letter.becomes(S.SUCCEEDED)
        self.completed_there.clear()

    def theirs(self) -> list[Delivery]:
        """What stands on their queue."""
        return [one for one in self.ledger.standing_on(ATTACHED) if one.is_elsewhere]

    def readable(self) -> set[int]:
        return {
            number for (number,) in rows(f"SELECT msg_id FROM pgmq.q_{REMOTE} WHERE vt <= clock_timestamp()")
        }

    def forwarded(self, one: Delivery) -> None:
        """A message of ours stands on their queue, if it was due."""
        there = rows(
            "SELECT remote_id FROM forwarded_messages WHERE dlq_event_id = %s", one.letter and one.letter.id
        )
        if there and not value("SELECT count(*) FROM message_queue WHERE id = %s", one.id):
            self.ledger.leave(one)
            [(number,)] = there
            self.ledger.accept(
                Delivery(ATTACHED, int(number), one.content, one.key, one.letter, is_elsewhere=True)
            )

    def their_moments_come(self) -> None:
        as_time_passes(f"UPDATE pgmq.q_{REMOTE} SET vt = clock_timestamp() - interval '1 second'")
