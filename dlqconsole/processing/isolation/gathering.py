"""Calls that run together: they wait until enough of them are there, or no more come."""

import threading
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Joint:
    """In place of a value: the call runs together with others of its ``key``, at most ``most`` at once.

    ``run`` takes the items of all, and returns as many values in their order.
    """

    key: Hashable
    most: int
    item: Any
    run: Callable[[Sequence[Any]], Sequence[Any]]


class Gathering[C]:
    """The calls that wait for others. At most ``most`` of them run at once, and one list at a time."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lists: dict[Hashable, list[tuple[C, Joint]]] = {}
        self._lock = threading.Lock()
        self._is_busy = False

    def add(self, call: C, joint: Joint) -> None:
        """Let a call wait."""
        with self._lock:
            self._lists.setdefault(joint.key, []).append((call, joint))

    def take(self, *, rest: bool) -> list[tuple[C, Joint]]:
        """Return calls to run together: as many as there may be, or with ``rest`` as there are.

        None while others run; after those, ``leave``.
        """
        with self._lock:
            for key, waiting in self._lists.items() if not self._is_busy else ():
                most = min(waiting[0][1].most, self._most)
                if rest or len(waiting) >= most:
                    self._lists[key] = waiting[most:]
                    if not self._lists[key]:
                        del self._lists[key]
                    self._is_busy = True
                    return waiting[:most]
        return []

    def leave(self) -> None:
        """Let the next ones run."""
        self._is_busy = False

    def clear(self) -> list[C]:
        """Return all that wait; they do not any more."""
        with self._lock:
            calls = [call for waiting in self._lists.values() for call, _joint in waiting]
            self._lists.clear()
        return calls


@dataclass(frozen=True, slots=True)
class Halt:
    """A value after which the process gives back what it has not begun: the caller looks at it first.

    ``doubtful``: the call may bear what another did that ran beside it. Then it is run again, alone.
    """

    value: Any
    doubtful: bool = False
