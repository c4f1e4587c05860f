"""The person of each request, at the console's own sign-in."""

from collections.abc import Callable
from functools import partial
from typing import Any

from asgiref.sync import sync_to_async
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from dlqconsole.console.access import sessions


class Authentication(AuthenticationMiddleware):
    """Django's own, with sessions that end. A page that does not need the person costs no query."""

    def process_request(self, request: HttpRequest) -> None:
        super().process_request(request)
        request.user = SimpleLazyObject(lambda: _cached_person(request))  # type: ignore[assignment]
        request.auser = partial(sync_to_async(_cached_person), request)

    def process_view(
        self, request: HttpRequest, view: Callable[..., Any], arguments: Any, keywords: Any
    ) -> None:
        if getattr(view, "login_required", True) and request.user.is_authenticated:
            sessions.follow_rights(request)


def _cached_person(request: HttpRequest) -> Any:
    if not hasattr(request, "_dlq_person"):
        request._dlq_person = sessions.person(request)  # type: ignore[attr-defined]
    return request._dlq_person  # type: ignore[attr-defined]
