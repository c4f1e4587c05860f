"""The person of each request, at the console's own sign-in, and of each change of an account."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from asgiref.sync import sync_to_async
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.http import HttpRequest, HttpResponseBase
from django.utils.functional import SimpleLazyObject

from dlqconsole.console.access import sessions
from dlqconsole.console.access.permissions import actor
from dlqconsole.people.actors import acting_as

# The view that changes one's own password names the person itself: it first compares the old password, and
# that try is counted in a transaction of its own.
_PAGES = "auth_"


class Authentication(AuthenticationMiddleware):
    """Django's own, with sessions that end. A page that does not need the person costs no query."""

    def process_request(self, request: HttpRequest) -> None:
        super().process_request(request)
        request.user = SimpleLazyObject(lambda: _cached_person(request))  # type: ignore[assignment]
        request.auser = partial(sync_to_async(_cached_person), request)

    def process_view(
        self, request: HttpRequest, view: Callable[..., Any], arguments: Any, keywords: Any
    ) -> None:
        if not getattr(view, "is_open", False) and request.user.is_authenticated:
            sessions.follow_rights(request)


def _cached_person(request: HttpRequest) -> Any:
    if not hasattr(request, "_dlq_person"):
        request._dlq_person = sessions.person(request)  # type: ignore[attr-defined]
    return request._dlq_person  # type: ignore[attr-defined]


class ActingPerson:
    """Middleware: a form of the admin about accounts and roles is one transaction, in that person's name."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_view(
        self,
        request: HttpRequest,
        view: Callable[..., HttpResponseBase],
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
    ) -> HttpResponseBase | None:
        """Call the view in that transaction; an error of the view rolls it back."""
        if request.method != "POST" or not _is_about_accounts(request) or not request.user.is_authenticated:
            return None
        with acting_as(actor(request)):
            return view(request, *args, **kwargs)


def _is_about_accounts(request: HttpRequest) -> bool:
    match = request.resolver_match
    return bool(match and "admin" in match.namespaces and (match.url_name or "").startswith(_PAGES))
