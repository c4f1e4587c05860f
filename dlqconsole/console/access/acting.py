"""Name the person who changes accounts in Django's admin."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.http import HttpRequest, HttpResponseBase

from dlqconsole.console.access.permissions import actor
from dlqconsole.people.acting import acting_as

# The view that changes one's own password names the person itself: it first compares the old password, and
# that try is counted in a transaction of its own.
_PAGES = "auth_"


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
