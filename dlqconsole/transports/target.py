"""The contract of a system that we do not claim from: its figures, and, for a ``Target``, sending to it.

A system says what it can do by flags, and nobody asks which system it is.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class QueueMetrics:
    """One queue now. ``oldest_due_seconds``: age of the oldest claimable message, None when there is none.

    ``at_least``: which of the three numbers may be more than was counted.
    """

    name: str
    visible: int
    in_flight: int
    scheduled: int
    oldest_due_seconds: float | None
    at_least: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DeadLetterQueue:
    """A place over there for what fails on ``sources``. ``queue``: its name, empty where it is lost.

    ``messages``: how many stand on it, if anybody knows. ``is_consumed``: somebody there takes from it.
    """

    queue: str
    sources: tuple[str, ...]
    messages: int | None = None
    is_consumed: bool = False


class Transport(ABC):
    """The queues of one system. ``queue`` is the name that the system itself uses.

    Raises UnknownQueue for a queue that is not there, TransportUnavailable while the system does not answer.
    A system that is no more than that has relay steps of its own.
    """

    # the part before the colon in the names of its queues; empty: our own
    prefix: ClassVar[str]
    # its changes are part of our database's transaction
    commits_with_us: ClassVar[bool] = False
    # what is sent there with the same ``dedupe_key`` is there once
    deduplicates: ClassVar[bool] = False
    # what is sent there with the same ``dedupe_key`` may be there twice, and both carry it, for their
    # consumers to see
    marks_repeats: ClassVar[bool] = False
    # its queues are dead-letter queues: what comes to them becomes dead letters here, and leaves them
    takes_over: ClassVar[bool] = False
    # the reason why its messages cannot be claimed here; empty: they can
    not_claimed: ClassVar[str] = ""

    @abstractmethod
    def metrics(self, queue: str) -> QueueMetrics:
        """Return the queue's figures."""

    def check(self, queue: str) -> None:
        """Raise UnknownQueue where it is not there, InvalidQueue where it must not be attached."""
        self.metrics(queue)

    def why_never(self, queue: str) -> str:
        """Return the reason why nothing can ever be sent there from here; empty where it may be attached."""
        return ""

    def counts_deliveries(self, queue: str) -> bool:
        """Tell whether the system counts how often each message of the queue was claimed."""
        return True

    def dead_letter_queues(self, attached: Sequence[str]) -> Sequence[DeadLetterQueue] | None:
        """Return where queues dead-letter to, in the places of the attached ones; None: it cannot tell.

        It only reads over there, and may take its time: nobody waits for it with a page.
        """
        return None

    def close(self) -> None:  # noqa: B027 - most have nothing to close
        """Close this thread's connections; the next call opens them again."""

    def name_of(self, queue: str) -> str:
        """Return the queue's name in our tables, on our pages and in our commands."""
        return f"{self.prefix}:{queue}" if self.prefix else queue


class Target(Transport):
    """Queues to which the relay sends. ``delay_seconds`` is a duration; all times are the system's own.

    Raises InvalidMessage for what cannot be sent.
    """

    # ``send`` takes any bytes, not only JSON, and any headers that JSON can hold
    takes_bytes: ClassVar[bool] = False

    @abstractmethod
    def send(
        self,
        queue: str,
        payload: bytes | str,
        headers: Mapping[str, str] | None = None,
        *,
        delay_seconds: float = 0,
        dedupe_key: str | None = None,
    ) -> str:
        """Put one message on the queue. Return its id. A key is given where the source ``deduplicates`` or
        ``marks_repeats``.
        """

    @abstractmethod
    def still_there(self, queue: str, ids: Iterable[str]) -> set[str]:
        """Return the ids of the messages that have not left the queue."""

    def tells_of(self, message_id: str) -> bool:
        """Tell whether ``still_there`` knows when this message is completed over there."""
        return True
