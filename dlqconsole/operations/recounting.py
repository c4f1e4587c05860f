"""How many an operation is over, counted by us: a form only says what its page showed, and may say anything.

By these numbers goes what one person may do alone, and what they typed to show that they mean all of them.
"""

from collections.abc import Mapping
from typing import Any

from dlqconsole.engine.counts.summaries import Count
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.operations.preview import LEAST, numbers
from dlqconsole.operations.request import OperationRequest

# so many more, and a tenth, may have arrived while somebody read the page
MORE = 10


def counted(request: OperationRequest, options: Mapping[str, Any]) -> tuple[Count, int]:
    """How many were selected, and the number on the button. Raises OperationRefused.

    Who asks without a confirm page has seen what stands in the table now.
    """
    if request.seen is None:
        return numbers(request.kind, request.scope, request.reach, options)
    acts_on = request.seen.value if request.acts_on is None else request.acts_on
    if request.is_told:
        _check(request, Count(acts_on, request.seen.is_least), options)
    return request.seen, acts_on


def _check(request: OperationRequest, button: Count, options: Mapping[str, Any]) -> None:
    """Refuse numbers that are far fewer than there are. That there are fewer by now harms nobody."""
    total, able = numbers(request.kind, request.scope, request.reach, options)
    for told, now in ((request.seen, total), (button, Count(able, total.is_least))):
        if told is not None and _is_far_more(now, told):
            said = f"it is {now} now" if now.value else "it cannot be counted in time now"
            raise OperationRefused(f"It was {told} when you looked, {said}: confirm again.")


def _is_far_more(now: Count, told: Count) -> bool:
    # nobody can say any more that there are so few
    if now.is_least and not told.is_least and told.value < LEAST:
        return True
    return now.value > told.value + max(MORE, told.value // 10)
