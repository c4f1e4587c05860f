"""Times are UTC and words English on every page, whatever the project's own pages speak."""

from collections.abc import Callable
from datetime import UTC

from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone, translation


class Formats:
    """Middleware: of a page, times and numbers are written so."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        with timezone.override(UTC), translation.override("en"):
            return self.get_response(request)
