"""The numbers of a request, counted anew: a form only repeats the numbers of its page, and can be forged.

These numbers decide on the approval, and on the count that the person must type.
"""

from collections.abc import Mapping
from typing import Any

from dlqconsole.engine.counts.summaries import Count
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.operations.preview import LEAST, numbers
from dlqconsole.operations.request import OperationRequest

# so many more, or a tenth, may have arrived while the person read the page
MORE = 10


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
            present = f"it is {now} now" if now.value else "it cannot be counted in time now"
            raise OperationRefused(f"It was {page_count} when you looked, {present}: confirm again.")


def _is_far_more(now: Count, page_count: Count) -> bool:
    # now there are at least LEAST, and the page showed fewer
    if now.is_least and not page_count.is_least and page_count.value < LEAST:
        return True
    return now.value > page_count.value + max(MORE, page_count.value // 10)
