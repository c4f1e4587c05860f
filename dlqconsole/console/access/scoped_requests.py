"""The access scope of each request: that of its person."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase

from dlqconsole.engine.access_scope import AccessScope, asking_lazily
from dlqconsole.people.access_scopes import access_of_person


class ScopedRequests:
    """Middleware: a view reads and changes what the request's person sees, and a stranger nothing.

    What is streamed runs later, when nobody asks any more: it takes the scope while the view runs.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        with asking_lazily(lambda: access_of(request)):
            return self.get_response(request)


def access_of(request: HttpRequest) -> AccessScope:
    """The access scope of the person of a request. Queried once a request, if at all."""
    access: AccessScope | None = getattr(request, "_dlq_access", None)
    if access is None:
        access = access_of_person(getattr(request, "user", None))
        request._dlq_access = access  # type: ignore[attr-defined]
    return access
