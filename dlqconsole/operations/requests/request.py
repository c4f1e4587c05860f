"""The request of an operation: forms, the command line, the admin and machines all make one.

A form only repeats the numbers of its page, and can be forged: they are counted anew, because they decide on
the approval, and on the count that the person must type.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

from django.utils.translation import gettext as _

from dlqconsole.engine.counts.summaries import Count
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.operations.kinds.base import ALWAYS, WHOLE_FILTERS, Kind
from dlqconsole.operations.requests.preview import LEAST, numbers
from dlqconsole.operations.requests.scope import LogEntries, Matching, Scope

CANARY_ABOVE = 1000
# so many more, or a tenth, may have arrived while the person read the page
MORE = 10


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
    scope: Scope | LogEntries
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


def count_request(request: OperationRequest, options: Mapping[str, Any]) -> tuple[Count, int]:
    """Return the number of selected items, and the number on the button. Raises OperationRefused.

    For a request without a confirm page, both are counted now.
    """
    if request.seen is None:
        return numbers(request.kind, request.scope, options)
    acts_on = request.seen.value if request.acts_on is None else request.acts_on
    if request.is_told:
        _check(request, Count(acts_on, request.seen.is_least), options)
    return request.seen, acts_on


def _check(request: OperationRequest, button: Count, options: Mapping[str, Any]) -> None:
    """Refuse numbers that are far below the present ones; numbers above them do no harm."""
    total, able = numbers(request.kind, request.scope, options)
    for page_count, now in ((request.seen, total), (button, Count(able, total.is_least))):
        if page_count is not None and _is_far_more(now, page_count):
            present = (
                _("it is {now} now").format(now=now)
                if now.value
                else _("now it is not known (counting took too long)")
            )
            raise OperationRefused(
                _("It was {page_count} when you looked, {present}: confirm again.").format(
                    page_count=page_count, present=present
                )
            )


def _is_far_more(now: Count, page_count: Count) -> bool:
    # now there are at least LEAST, and the page showed fewer
    if now.is_least and not page_count.is_least and page_count.value < LEAST:
        return True
    return now.value > page_count.value + max(MORE, page_count.value // 10)
