"""What is owed: every event that was accepted and every failure that was reported, and where each must be."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from dlqconsole.core.lifecycle.states import DeadLetterStatus as S
from tests.histories.contents import Content
from tests.histories.failing_handlers import Failure

CLOSED = frozenset({S.SUCCEEDED, S.DISCARDED})
UNDER_WAY = frozenset({S.REVIVED, S.RETRYING})
# where a person may act
STANDING = frozenset({S.PENDING, S.EXHAUSTED, S.QUARANTINED})
CRASH = Failure("the worker stopped while it held this dead letter", "", "")


@dataclass(eq=False)
class Delivery:
    """A message, from its sending until it left. ``holder``: the newest claim, until it is settled."""

    queue: str
    id: int
    content: Content
    key: str | None
    letter: Letter | None = None
    attempts: int = 0
    holder: Any = None
    failures: list[Failure] = field(default_factory=list)
    is_here: bool = True

    # it stands in a table of another system
    is_elsewhere: bool = False

    @property
    def name(self) -> str:
        return f"{self.queue}/{self.id}"

    @property
    def told(self) -> list[Failure]:
        """Where its failures are kept: with the dead letter that it revives, or else with itself."""
        return self.failures if self.letter is None else self.letter.failures


@dataclass(eq=False)
class Letter:
    """A dead letter. ``contents``: all that it ever held. ``may_be``: the states it may be in now."""

    id: int
    key: str | None
    contents: list[Content]
    status: str
    failures: list[Failure]
    occurrences: int = 1
    retries: int = 0
    may_be: set[str] = field(default_factory=set)
    # its message is gone, and nobody has noticed yet
    is_adrift: bool = False
    revived_from: str = ""
    # its source_key is the event's id; others' under the same id end with a hash of their bytes
    has_the_id: bool = False

    def __post_init__(self) -> None:
        self.may_be |= {self.status}

    def becomes(self, *statuses: str) -> None:
        """It is in one of these now; what a step does later counts."""
        self.may_be = set(statuses)
        if len(statuses) == 1:
            [self.status] = statuses


@dataclass
class Ledger:
    """All of it. ``archived``: what must stand in the archive."""

    deliveries: dict[tuple[str, int], Delivery] = field(default_factory=dict)
    letters: dict[int, Letter] = field(default_factory=dict)
    archived: dict[int, Content] = field(default_factory=dict)
    enriched: set[str] = field(default_factory=set)

    def standing_on(self, *queues: str) -> list[Delivery]:
        """The messages of these queues in the order in which they were sent; of all without any."""
        return [
            one for one in self.deliveries.values() if one.is_here and (not queues or one.queue in queues)
        ]

    def of_letter(self, letter: Letter) -> list[Delivery]:
        """The messages that revive a dead letter now."""
        return [one for one in self.deliveries.values() if one.is_here and one.letter is letter]

    def accept(self, delivery: Delivery) -> Delivery:
        """A message stands on a queue."""
        self.deliveries[delivery.queue, delivery.id] = delivery
        return delivery

    def leave(self, delivery: Delivery) -> None:
        """A message has left its queue."""
        delivery.is_here, delivery.holder = False, None

    def complete(self, delivery: Delivery, *, by_a_handler: bool) -> None:
        """A consumer has succeeded with it: so has the dead letter that it revives."""
        self.leave(delivery)
        if delivery.letter is not None:
            delivery.letter.becomes(S.SUCCEEDED)
        if by_a_handler and delivery.key is not None:
            self.enriched.add(delivery.key)

    def delete(self, delivery: Delivery) -> None:
        """Somebody removed it without a word. What a consumer had in hand is completed, the rest is lost."""
        held = delivery.holder is not None
        self.leave(delivery)
        if letter := delivery.letter:
            # how long a lease lasts is the database's business
            letter.becomes(letter.revived_from, *([S.SUCCEEDED] if held else []))

    def drift(self, delivery: Delivery) -> None:
        """It is gone, and nobody was told: the dead letter that it revives waits until somebody looks."""
        self.leave(delivery)
        if delivery.letter is not None:
            delivery.letter.is_adrift = True

    def bury(self, delivery: Delivery, failure: Failure, letter_id: int, status: str) -> Letter:
        """It became a dead letter, or a further occurrence of one."""
        self.leave(delivery)
        if delivery.letter is not None:
            assert letter_id == delivery.letter.id
            return self._return(delivery, failure, status)
        failures = [*delivery.failures, failure]
        same = self.same_event(delivery.key, delivery.content)
        if letter_id in self.letters:
            letter = self.letters[letter_id]
            assert letter in same, f"{delivery} became an occurrence of {letter}"
            return self.again(letter, failures, delivery.attempts, status)
        first = any(one.has_the_id for one in self.letters.values() if one.key == delivery.key)
        assert not (same and first), f"{delivery} became a dead letter of its own beside {same}"
        return self.born(
            Letter(letter_id, delivery.key, [delivery.content], status, failures, retries=delivery.attempts)
        )

    def same_event(self, key: str | None, content: Content) -> list[Letter]:
        """The dead letters that this very event is in already."""
        return [
            one
            for one in self.letters.values()
            if key is not None and one.key == key and content in one.contents
        ]

    def born(self, letter: Letter) -> Letter:
        """A new dead letter. The first with an event's id has that itself, until it is purged."""
        letter.has_the_id = not any(one.has_the_id for one in self.letters.values() if one.key == letter.key)
        self.letters[letter.id] = letter
        return letter

    def again(self, letter: Letter, failures: list[Failure], attempts: int, status: str) -> Letter:
        """The same event failed once more: closed it is open again, under way it stays so."""
        letter.failures += failures
        letter.occurrences += 1
        letter.retries += attempts
        if letter.status in CLOSED:
            assert status in STANDING
            letter.becomes(status)
        return letter

    def _return(self, delivery: Delivery, failure: Failure, status: str) -> Letter:
        letter = delivery.letter
        assert letter is not None
        letter.failures.append(failure)
        letter.occurrences += 1
        letter.retries += delivery.attempts
        assert status in STANDING
        letter.becomes(status)
        return letter
