"""The ledger of effects: what a program did before it failed, it does not do again for a revived event."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any

from .postgresql import Database, psycopg

_BEGIN = "SELECT effect_begin(%(name)s, %(key)s, %(source)s, %(event_key)s)"
_DONE = "SELECT effect_done(%(name)s, %(key)s)"
_NOT_DONE = "SELECT effect_not_done(%(name)s, %(key)s)"


class EffectUnknown(Exception):
    """An effect was begun before, and nobody knows whether it was done: a person has to look."""

    category = "BUSINESS"


class LedgerAway(Exception):
    """The ledger does not answer, so nobody knows whether the effect was done: try the event later."""

    category = "DEPENDENCY"


class Ledger:
    """The console's database, asked at once: an effect waits for the answer."""

    def __init__(self, dsn: str) -> None:
        self._database, self._lock, self._pid = Database(dsn), threading.Lock(), os.getpid()

    def ask(self, query: str, values: dict[str, Any]) -> Any:
        """Return the answer of a function. Raises LedgerAway."""
        with self._lock:
            if self._pid != os.getpid():
                self._database.abandon()
                self._pid = os.getpid()
            try:
                # a connection that ended unseen is noticed by the first use of it
                return self._database.ask(query, values)
            except (psycopg.Error, OSError) as problem:
                self._database.close()
                line = str(problem).strip().partition("\n")[0]
                raise LedgerAway(f"the ledger of effects does not answer: {line}") from problem


class Effect:
    """One effect: ``if effect.needed:`` do it. Leaving the block without an error says that it is done.

    An error that is one of ``not_done`` says that it did not happen; after any other it is unknown.
    """

    def __init__(
        self,
        ledger: Callable[[], Ledger],
        values: dict[str, Any],
        not_done: tuple[type[BaseException], ...],
    ) -> None:
        self._ledger, self._values, self._not_done = ledger, values, not_done
        self.needed = False

    def __enter__(self) -> Effect:
        answer = self._ledger().ask(_BEGIN, self._values)
        if answer == "unknown":
            name, key = self._values["name"], self._values["key"]
            raise EffectUnknown(f"{name} {key} was begun before, and nobody knows whether it was done")
        self.needed = answer == "new"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self.needed:
            return
        if error is None:
            self._ledger().ask(_DONE, self._values)
        elif isinstance(error, self._not_done):
            self._ledger().ask(_NOT_DONE, self._values)
