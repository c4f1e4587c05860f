"""A cache per request: a page that only reads runs each query once (``engine.database.memoized``)."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase

from dlqconsole.engine.database.memoized import memoizing


class RequestCache:
    """Middleware: all parts of a page get the same answer to the same query."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.method not in ("GET", "HEAD"):
            return self.get_response(request)
        with memoizing():
            return self.get_response(request)
