"""A page that only looks asks each thing once (``engine.database.memoized``)."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase

from dlqconsole.engine.database.memoized import memoizing


class RequestCache:
    """Middleware: whatever parts a page is put together from, they have one answer to one question."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.method not in ("GET", "HEAD"):
            return self.get_response(request)
        with memoizing():
            return self.get_response(request)
