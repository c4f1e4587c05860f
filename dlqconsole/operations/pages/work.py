"""A worker's lease of an operation, and the values that it hands to the pages that do the work."""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from typing import Any, Protocol
from uuid import UUID

from dlqconsole.operations.sql import sql
from dlqconsole.processing.inputs.sentences import stored
from dlqconsole.processing.quantities import named
from dlqconsole.processing.texts import one_line

# the rest of an operation while its remaining handlers are with another worker
OTHERS_SECONDS = 2.0
# event types that a note names, and characters of each
NAMED, NAME_LIMIT = 3, 80
ONE_ELSEWHERE = stored("The rest is left to another worker: {event_types} has its handler there.")
MORE_ELSEWHERE = stored("The rest is left to another worker: {event_types} have their handlers there.")

_RULES = ("payload", "state", "anything")
_WORDS = ("edited", "done_by")


class CountsAsChanged(StrEnum):
    """The sorts of change that a kind of operation minds; each includes those before it."""

    PAYLOAD = "payload"
    STATE = "state"
    # another category, a restore and a discard again, …; from the moment of the request on
    ANYTHING = "anything"

    @property
    def how_many(self) -> str:
        """The query that counts the changed items among an operation's first."""
        return self.put_into(sql("changes.count"))

    @property
    def among(self) -> str:
        """The query that names the changed ones among some of its dead letters."""
        return self.put_into(sql("changes.among"))

    @property
    def stale(self) -> str:
        """The part of a page's statement that selects the changed items, with the reason."""
        return self.put_into(sql("changes.stale"))

    def put_into(self, query: str) -> str:
        """Put the rule into a query for {is_changed}, and its reason for {why}."""
        return query.replace("{is_changed}", _texts()[self]).replace("{why}", _texts()[f"why_{self}"])


@cache
def _texts() -> dict[str, str]:
    """The rules and their reasons as SQL; each may use those before it."""
    texts = {name: sql(f"changes.{name}") for name in _WORDS}
    for name in (*_RULES, *(f"why_{rule}" for rule in _RULES)):
        texts[name] = sql(f"changes.{name}").format(**texts)
    return texts


@dataclass(frozen=True, slots=True)
class OperationLease:
    """An operation that this worker leases. ``status`` is as it was when taken up."""

    id: int
    kind: str
    status: str
    token: UUID
    lease_seconds: float
    options: Mapping[str, Any]
    # items a second; None: as fast as it goes
    rate: int | None
    # a canary's stage; None without one
    stage: int | None
    source_operation_id: int | None

    def values(self) -> dict[str, object]:
        """The values of every statement of this worker."""
        return {"id": self.id, "token": self.token, "lease": self.lease_seconds}


@dataclass(frozen=True, slots=True)
class OperationWork:
    """The lease, and the rules of its kind: the states it takes, and the reasons why not the others.

    ``left_by``: the state in which each kind leaves its items, to name who was there before. ``did``: the
    verb of each kind, before "by ann". ``changed``: the rule for items that changed since the freezing.
    """

    lease: OperationLease
    owner: str
    is_over: Callable[[], bool]
    eligible: Sequence[str]
    why_not: Mapping[str, str]
    left_by: Mapping[str, str]
    did: Mapping[str, str]
    changed: CountsAsChanged

    def values(self) -> dict[str, Any]:
        """The values of every page's statement."""
        rules = {
            "eligible": list(self.eligible),
            "why": json.dumps(dict(self.why_not)),
            "left_by": json.dumps(dict(self.left_by)),
            "did": json.dumps(dict(self.did)),
        }
        return self.lease.values() | rules


@dataclass(frozen=True, slots=True)
class PageResult:
    """The result of one page: the last id it read (None: no items are left) and the number of items settled.

    ``begun_by_group``: the number that it began by failure group, where groups are held back.
    """

    last: int | None
    settled: int
    begun_by_group: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Rooms:
    """The number of items of each failure group that a page may begin; of other groups ``of_others``.

    ``in_order``: no item begins before an earlier one of its ordering key that waits.
    """

    by_group: Mapping[int, int]
    of_others: int
    in_order: bool = False

    def values(self) -> dict[str, Any]:
        """The values of a page's statement."""
        return {
            "full": [group for group, room in self.by_group.items() if room <= 0],
            "rooms": json.dumps({str(group): room for group, room in self.by_group.items() if room > 0}),
            "room_of_others": self.of_others,
            "in_order": self.in_order,
        }


@dataclass(frozen=True, slots=True)
class Waits:
    """The reason why the remaining items cannot be done now, and the seconds until the next look."""

    note: str
    seconds: float


def waits_for_others(event_types: Collection[str]) -> Waits:
    """The wait for other workers, which have the handlers of the remaining items."""
    types = named([one_line(each, NAME_LIMIT) for each in sorted(event_types)], NAMED)
    words = ONE_ELSEWHERE if len(event_types) == 1 else MORE_ELSEWHERE
    return Waits(words.format(event_types=types), OTHERS_SECONDS)


class Pages(Protocol):
    """The work of an operation, page by page.

    ``at_most``: no page may be larger; None: as large as it likes. ``probes``: only the canary's probes.
    ``rooms``: the number of each failure group that may begin; None: all.
    ``waits``: the reason why the last pages could not go on.
    """

    at_most: int | None
    probes: bool
    rooms: Rooms | None
    waits: Waits | None

    def next(self, after: int) -> PageResult:
        """Do the page after that dead letter. Raises NotOurs."""
