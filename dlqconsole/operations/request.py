"""The request of an operation: forms, the command line, the admin and machines all make one."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

from dlqconsole.engine.counts.summaries import Count
from dlqconsole.operations.kinds.base import ALWAYS, WHOLE_FILTERS, Kind
from dlqconsole.operations.scope import Matching, Scope

CANARY_ABOVE = 1000


@dataclass(frozen=True, slots=True)
class OperationRequest:
    """A request for an operation; ``service.request_operation`` makes the operation.

    Nothing outside the scope of who asks is selected. ``options``: the input of ``Kind.read``. ``seen``: the
    count that they saw when confirming; ``acts_on``: the number on the button, those not skipped; None:
    the present numbers. ``typed_count``: the number that they typed to show that they mean it, as on the
    button. ``is_told``: these counts come from a form, which can be forged: they are counted anew. The same
    ``key`` is the same operation, however often it is requested.
    """

    kind: str
    scope: Scope
    reason: str
    options: Mapping[str, Any] = field(default_factory=dict)
    seen: Count | None = None
    typed_count: int | None = None
    key: UUID = field(default_factory=uuid4)
    acts_on: int | None = None
    is_told: bool = False


def has_typed_count(kind: Kind, scope: Scope) -> bool:
    """Tell whether the person must type the count, apart from any approval."""
    rule = kind.typed_count
    return rule == ALWAYS or (rule == WHOLE_FILTERS and isinstance(scope, Matching))


def canary_offered(kind: Kind, scope: Scope, eligible: int) -> bool:
    """Tell whether a canary is offered beside the button: for a whole group, and for many items."""
    if not kind.offers_canary:
        return False
    of_group = isinstance(scope, Matching) and scope.filter.group is not None and eligible > 1
    return of_group or eligible > CANARY_ABOVE
