"""The description that a folder of transports offers as ``SYSTEM``. It is opened on first use."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from dlqconsole.transports.browser import Browser
from dlqconsole.transports.models import AttachedQueue
from dlqconsole.transports.target import Transport


class RelaySteps(Protocol):
    """The relay's steps for one queue, a page at a time; each returns how many rows it moved."""

    def forward(self, queue: AttachedQueue, limit: int) -> int:
        """Move due messages from our queue to the other system's."""
        ...

    def dead_letter_exhausted(self, queue: AttachedQueue, limit: int) -> int:
        """Write the dead letters of messages that were delivered too often."""
        ...

    def watch(self, queue: AttachedQueue, limit: int) -> int:
        """Mark REVIVED dead letters SUCCEEDED when their message has left the queue for good."""
        ...


@dataclass(frozen=True, slots=True)
class System:
    """One system of queues. ``prefix`` is the part before the colon in their names; our own have none.

    ``remote_name`` makes a queue's one name of what a person wrote. ``relay_steps``: the relay's steps,
    where the system has quicker ones than ``relay.steps``. ``browser``: its messages on the queue's page,
    where they can be looked at one by one. ``check_columns``: checks the names by which a person maps the
    columns of a table, where its queues are tables of other programs.
    """

    prefix: str
    label: str
    open: Callable[[], Transport]
    remote_name: Callable[[str], str] = str
    relay_steps: Callable[[], RelaySteps] | None = None
    browser: Callable[[], Browser] | None = None
    check_columns: Callable[[Mapping[str, str]], dict[str, str]] | None = None
