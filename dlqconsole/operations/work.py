"""What a worker holds while it works on an operation, and what it gives to the pages that do the work."""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol
from uuid import UUID

from dlqconsole.operations.changes import CountsAsChanged
from dlqconsole.processing.plurals import named
from dlqconsole.processing.texts import one_line

# what another worker has the handler of is left to that one for so long
OTHERS_SECONDS = 2.0
# event types that a note names, and characters of each
NAMED, NAME_LIMIT = 3, 80


@dataclass(frozen=True, slots=True)
class Held:
    """An operation in this worker's hands. ``status`` is as it was when taken up."""

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
        """What every statement of this worker shows."""
        return {"id": self.id, "token": self.token, "lease": self.lease_seconds}


@dataclass(frozen=True, slots=True)
class Work:
    """What is held, and the rules of its kind: the states it takes, and in words why not the others.

    ``left_by``: in which state each kind leaves what it has moved, to name who was there before. ``did``:
    what each kind does, before "by ann". ``changed``: what counts as changed since the freezing.
    """

    held: Held
    owner: str
    is_over: Callable[[], bool]
    eligible: Sequence[str]
    why_not: Mapping[str, str]
    left_by: Mapping[str, str]
    did: Mapping[str, str]
    changed: CountsAsChanged

    def values(self) -> dict[str, Any]:
        """What every page's statement shows."""
        rules = {
            "eligible": list(self.eligible),
            "why": json.dumps(dict(self.why_not)),
            "left_by": json.dumps(dict(self.left_by)),
            "did": json.dumps(dict(self.did)),
        }
        return self.held.values() | rules


@dataclass(frozen=True, slots=True)
class Page:
    """What one page did: the last id it looked at (None: there was nothing left) and items settled.

    ``taken``: by failure group, how many it began, where groups are held back.
    """

    last: int | None
    settled: int
    taken: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Rooms:
    """How many items of each failure group a page may begin; of groups that are not in it ``of_others``.

    ``in_order``: of one ordering key none before an earlier one that waits.
    """

    by_group: Mapping[int, int]
    of_others: int
    in_order: bool = False

    def values(self) -> dict[str, Any]:
        """What a page's statement shows."""
        return {
            "full": [group for group, room in self.by_group.items() if room <= 0],
            "rooms": json.dumps({str(group): room for group, room in self.by_group.items() if room > 0}),
            "room_of_others": self.of_others,
            "in_order": self.in_order,
        }


@dataclass(frozen=True, slots=True)
class Waits:
    """Why what remains cannot be done now, in a sentence, and when to look again."""

    note: str
    seconds: float


def left_to_others(event_types: Collection[str]) -> Waits:
    """What remains has its handler with another worker."""
    types = named([one_line(each, NAME_LIMIT) for each in sorted(event_types)], NAMED)
    verb = "has its handler" if len(event_types) == 1 else "have their handlers"
    return Waits(f"What remains is left to another worker: {types} {verb} there.", OTHERS_SECONDS)


class Pages(Protocol):
    """Does an operation's work page by page.

    ``at_most``: no page may be larger; None: as large as it likes. ``probes``: only the canary's probes.
    ``rooms``: what of each failure group may begin; None: all.
    ``waits``: what the last pages were held up by.
    """

    at_most: int | None
    probes: bool
    rooms: Rooms | None
    waits: Waits | None

    def next(self, after: int) -> Page:
        """Do the page after that dead letter. Raises NotOurs."""
