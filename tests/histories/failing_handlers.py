"""Handlers that fail as the history says, and keep a list of what they said."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from dlqconsole.processing import BusinessError, DependencyError, PermanentError, TransientError, handler
from dlqconsole.processing.events import Event


class Hiccup(TransientError):
    """Time mends it."""


class Away(DependencyError):
    """Another system mends it."""


class Refused(BusinessError):
    """A person decides."""


class Broken(PermanentError):
    """A person mends the event."""


class Odd(Exception):
    """Nobody has said."""


ERRORS: dict[str, type[Exception]] = {
    "TRANSIENT": Hiccup,
    "DEPENDENCY": Away,
    "BUSINESS": Refused,
    "PERMANENT": Broken,
    "UNKNOWN": Odd,
}


class Failure(NamedTuple):
    """What somebody said. ``trace`` stands in its trace, and in no other's."""

    reason: str
    category: str
    trace: str


@dataclass
class Plan:
    """What the next handlers do: fail in a category, each in its own words, or succeed without one."""

    category: str | None = None
    serial: int = 0
    said: list[Failure] = field(default_factory=list)
    succeeded: int = 0

    def begin(self, category: str | None) -> None:
        self.category, self.said, self.succeeded = category, [], 0

    def next(self) -> int:
        self.serial += 1
        return self.serial

    def failure(self, category: str) -> Failure:
        """A failure that nobody has reported before."""
        number = self.next()
        return Failure(f"{ERRORS[category].__name__}: no {number}", category, f"cause {number}.")


plan = Plan()


@handler("order.created")
def created(event: Event, lookups: object) -> dict[str, Any]:
    if plan.category is None:
        plan.succeeded += 1
        return {"tag": event.data.get("tag")}
    failure = plan.failure(plan.category)
    plan.said.append(failure)
    raise ERRORS[plan.category](failure.reason.partition(": ")[2]) from ValueError(failure.trace)
