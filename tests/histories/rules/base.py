"""What all rules share: the ledger, and the one after the other of a drawn place."""

from collections.abc import Sequence

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine

from dlqconsole.core.lifecycle.states import DeadLetterStatus as S
from tests.histories.contents import Content, Named, Payload, content, payload
from tests.histories.failing_handlers import plan
from tests.histories.ledger import Delivery, Ledger, Letter
from tests.plain_sql import rows, value

KEPT = "kept"
QUEUES = ("order.created", KEPT, "unknown")
ATTACHED = "pgmq:histories"
REMOTE = "histories"
CATEGORIES = ("TRANSIENT", "DEPENDENCY", "UNKNOWN", "BUSINESS", "PERMANENT")

REVIVAL = (
    "SELECT m.id, m.queue FROM message_queue m JOIN dlq_events d ON d.id = m.dlq_event_id"
    " AND d.revive_count = m.revive_seq WHERE d.id = %s AND d.status = 'REVIVED'"
)
HELD = "SELECT payload::text, payload_raw FROM dlq_events WHERE id = %s"

# Which of them: how many there are depends on what happened before, and no draw may.
PLACES = st.integers(0, 11)
# None: the handler succeeds
OUTCOMES = st.sampled_from([None, None, *CATEGORIES])


def at[Thing](place: int, things: Sequence[Thing]) -> Thing:
    """The one at that place, counted around."""
    return things[place % len(things)]


class History(RuleBasedStateMachine):
    """One history: who writes is a base class each."""

    def __init__(self) -> None:
        super().__init__()
        self.ledger = Ledger()
        plan.serial = 0

    @property
    def letters(self) -> list[Letter]:
        return list(self.ledger.letters.values())

    def payload(self, event: Named | str) -> Payload:
        return payload(event, plan.next())

    def sent(self, queue: str, number: int, sent: Payload) -> Delivery:
        """A message with that payload stands on a queue."""
        elsewhere = queue == ATTACHED
        return self.ledger.accept(Delivery(queue, number, sent.content, sent.key, is_elsewhere=elsewhere))

    def revived(self, letter: Letter) -> Delivery:
        """A dead letter's message stands on its queue: as it is in the tables, which the checks look at."""
        letter.revived_from = letter.status
        letter.becomes(S.REVIVED)
        [(number, queue)] = rows(REVIVAL, letter.id)
        return self.ledger.accept(Delivery(queue, number, self.held_by(letter), letter.key, letter))

    def held_by(self, letter: Letter) -> Content:
        """What a dead letter holds now."""
        return content(*rows(HELD, letter.id)[0])

    def letter_of(self, reason: str) -> int:
        """Whose attempt says so."""
        return value("SELECT dlq_event_id FROM dlq_attempts WHERE error_reason = %s", reason)

    def status_of(self, letter_id: int) -> str:
        return value("SELECT status FROM dlq_events WHERE id = %s", letter_id)
