"""A policy as it is at a moment: its values with their sources, and the reason why it lets nothing run."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from dlqconsole.core.lifecycle.failures import Backoff
from dlqconsole.retries.policies.scopes import PolicyScope
from dlqconsole.retries.policies.windows import Window


@dataclass(frozen=True, slots=True)
class ValueSource:
    """The source of a value. ``policy``: its number; None for a setting or a default."""

    policy: int | None
    words: str


@dataclass(frozen=True, slots=True)
class Pause:
    """A pause of a scope. ``until``: its end; None: a person ends it."""

    policy: int
    scope: PolicyScope
    by: str
    since: datetime
    until: datetime | None
    reason: str

    @property
    def words(self) -> str:
        """The paused scope in words."""
        return self.scope.words()


@dataclass(frozen=True, slots=True)
class BlockReason:
    """The reason why nothing under a policy runs at a moment. ``until``: None where a person ends it."""

    code: str  # POLICY, PAUSED or WINDOW
    source: ValueSource
    until: datetime | None = None
    pause: Pause | None = None


@dataclass(frozen=True, slots=True)
class Policy:
    """The schedule's rules for some dead letters.

    ``action``: None: the one that can heal it (``retries.actions``). ``rate``: attempts a second; None: no
    limit. ``sources`` has the source of each value.
    """

    enabled: bool
    action: str | None
    max_retries: int
    backoff: Backoff
    window: Window
    rate: float | None
    pause: Pause | None = None
    sources: Mapping[str, ValueSource] = field(default_factory=dict, compare=False)

    def block_reason(self, at: datetime) -> BlockReason | None:
        """The reason why nothing under it may run at a moment; None: it may."""
        if not self.enabled:
            return BlockReason("POLICY", self.sources["enabled"])
        if self.is_paused(at):
            assert self.pause is not None  # noqa: S101  (for the type checker)
            return BlockReason(
                "PAUSED", ValueSource(self.pause.policy, self.pause.words), self.pause.until, self.pause
            )
        if not self.window.is_always and not self.window.is_open(at):
            return BlockReason("WINDOW", self.sources["window"], self.window.next_open(at))
        return None

    def free_at(self, at: datetime) -> datetime | None:
        """The first moment, not before this one, at which it may run; None: not by itself."""
        if not self.enabled:
            return None
        if self.is_paused(at):
            assert self.pause is not None  # noqa: S101  (for the type checker)
            if self.pause.until is None:
                return None
            at = self.pause.until
        return self.window.next_open(at)

    def is_paused(self, at: datetime) -> bool:
        """Tell whether it is paused at a moment."""
        return self.pause is not None and (self.pause.until is None or self.pause.until > at)


@dataclass(frozen=True, slots=True)
class RetryPartition:
    """Dead letters of one event type that share a policy.

    ``only_groups``: those of these failure groups alone. ``but_groups``: those of all others. None: of all.
    ``only_queues``: those of these queues alone.
    """

    event_type: str
    categories: tuple[str, ...]
    policy: Policy
    only_groups: tuple[int, ...] | None = None
    but_groups: tuple[int, ...] | None = None
    only_queues: tuple[str, ...] | None = None
