"""The scope of the person of a request."""

from django.http import HttpRequest

from dlqconsole.engine.reach import Reach
from dlqconsole.people.reaches import reach_of_person


def reach_of(request: HttpRequest) -> Reach:
    """The scope of the person of a request. Queried once a request."""
    reach: Reach | None = getattr(request, "_dlq_reach", None)
    if reach is None:
        reach = reach_of_person(getattr(request, "user", None))
        request._dlq_reach = reach  # type: ignore[attr-defined]
    return reach
