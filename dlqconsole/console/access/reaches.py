"""What the person who asks may see."""

from django.http import HttpRequest

from dlqconsole.engine.reach import Reach
from dlqconsole.people.reaches import reach_of_person


def reach_of(request: HttpRequest) -> Reach:
    """What the person who asks may see. Looked up once a request."""
    found: Reach | None = getattr(request, "_dlq_reach", None)
    if found is None:
        found = reach_of_person(getattr(request, "user", None))
        request._dlq_reach = found  # type: ignore[attr-defined]
    return found
