"""Changes of accounts in Django's admin are made in the name of who makes them."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.http import HttpRequest, HttpResponseBase

from dlqconsole.console.access.permissions import actor
from dlqconsole.people.acting import acting_as

# who changes one's own password says so in its view: it compares the old one first, which counts for itself
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
        """Call the view within it; an error of the view takes back what was done."""
        if request.method != "POST" or not request.user.is_authenticated or not _is_about_accounts(request):
            return None
        with acting_as(actor(request)):
            return view(request, *args, **kwargs)


def _is_about_accounts(request: HttpRequest) -> bool:
    match = request.resolver_match
    return bool(match and "admin" in match.namespaces and (match.url_name or "").startswith(_PAGES))
