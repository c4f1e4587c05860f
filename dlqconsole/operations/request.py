"""What somebody asks for: the one way in, whether a form, the command line, the admin or a machine asks."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

from dlqconsole.engine.counts.summaries import Count
from dlqconsole.engine.reach import Reach
from dlqconsole.operations.kinds.base import ALWAYS, WHOLE_FILTERS, Kind
from dlqconsole.operations.scope import Matching, Scope

CANARY_ABOVE = 1000


@dataclass(frozen=True, slots=True)
class OperationRequest:
    """An operation that somebody asks for; ``service.request_operation`` makes it.

    ``options`` is what ``Kind.read`` knows of the kind, by its own names. ``reach`` is what the person sees:
    nothing else is selected. ``seen`` is the count that they saw when confirming, ``acts_on`` the number on
    the button: so many of them are not skipped. None: what stands in the table now. ``typed_count`` is what
    they typed to show that they mean it: the number on the button. ``is_told``: a form says these counts,
    and may say anything: they are counted anew. The same ``key`` is the same operation, however often it is
    asked for.
    """

    kind: str
    scope: Scope
    reason: str
    reach: Reach = field(kw_only=True)
    options: Mapping[str, Any] = field(default_factory=dict)
    seen: Count | None = None
    typed_count: int | None = None
    key: UUID = field(default_factory=uuid4)
    acts_on: int | None = None
    is_told: bool = False


def has_typed_count(kind: Kind, scope: Scope) -> bool:
    """Whether the count is typed to show that all of them are meant, whoever else must agree."""
    rule = kind.typed_count
    return rule == ALWAYS or (rule == WHOLE_FILTERS and isinstance(scope, Matching))


def canary_offered(kind: Kind, scope: Scope, eligible: int) -> bool:
    """Whether trying a few first is offered beside the button: for a whole group, and for many."""
    if not kind.offers_canary:
        return False
    of_group = isinstance(scope, Matching) and scope.filter.group is not None and eligible > 1
    return of_group or eligible > CANARY_ABOVE
