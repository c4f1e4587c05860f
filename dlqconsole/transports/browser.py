"""The contract of a queue's page: look at the messages of a system, make one due, remove some.

One class a system, beside its source. Pages, commands and the purge go by it, whichever system it is.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from dlqconsole.engine.queues.waiting_messages import MessagePage, StateCount
from dlqconsole.processing.inputs.sentences import stored

# Called inside the browser's transaction, before it commits: with the numbers that were removed, and with why
# others were left. What it writes is committed no later than the removal.
type Keep = Callable[[Sequence[int], Mapping[int, str]], None]

GONE = stored("had left the queue by then")
HELD = "is in a consumer's hands"


@dataclass(frozen=True, slots=True)
class MessageList:
    """A list of a queue's page: its label, and a sentence about it."""

    label: str
    about: str


class Browser(ABC):
    """The messages of one system's queues. ``queue`` is the name that the system itself uses.

    A message is known by its number. Its row has the columns of ``engine.queues.waiting_messages``; None
    where the system does not know. Raises UnknownQueue and TransportUnavailable.
    """

    lists: ClassVar[Mapping[str, MessageList]]
    # what is in flight is surely in somebody's hands; else it may only be put off
    knows_holders: ClassVar[bool] = True

    @abstractmethod
    def counts(self, queue: str) -> Mapping[str, int | None]:
        """Return the number of messages of each list; None where nobody knows."""

    @abstractmethod
    def page(self, queue: str, list_name: str, *, after: str = "") -> MessagePage:
        """Return some messages of a list, in its order."""

    @abstractmethod
    def message(self, queue: str, number: int) -> dict[str, Any] | None:
        """Return a message with the beginning of its payload; None when it is not on the queue."""

    @abstractmethod
    def whole_payload(self, queue: str, number: int) -> tuple[bytes, bool] | None:
        """Return the payload's bytes, and whether they are JSON; None when the message has left."""

    @abstractmethod
    def make_due(self, queue: str, number: int, keep: Keep) -> None:
        """Make a scheduled message claimable now; ``keep`` has it as the one that was changed."""

    @abstractmethod
    def remove(self, queue: str, numbers: Sequence[int], keep: Keep, *, also_held: bool = False) -> None:
        """Remove messages that nobody holds; ``also_held``: those in flight too, if nobody can tell."""

    @abstractmethod
    def newest(self, queue: str) -> int:
        """Return the highest number on the queue; 0 where it is empty."""

    @abstractmethod
    def standing(self, queue: str, up_to: int) -> Sequence[StateCount]:
        """Count the queue's messages up to a number, by state."""

    @abstractmethod
    def numbers(self, queue: str, after: int, up_to: int) -> list[int]:
        """Return the numbers between two, without those in flight."""
