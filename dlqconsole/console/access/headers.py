"""The headers of every page: no script but ours, and no copy in any cache."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase

type Handler = Callable[[HttpRequest], HttpResponseBase]

_SELF = ("script-src", "style-src", "font-src", "connect-src", "form-action")
_NONE = ("default-src", "base-uri", "frame-ancestors", "object-src")
POLICY = "; ".join(
    [
        *(f"{name} 'none'" for name in _NONE),
        *(f"{name} 'self'" for name in _SELF),
        "img-src 'self' data:",
    ]
)


class ContentPolicy:
    """Middleware: a Content-Security-Policy, unless the page has one."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        response.headers.setdefault("Content-Security-Policy", POLICY)
        return response


class NoStore:
    """Middleware: no cache stores a page, unless the page says otherwise."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        response.headers.setdefault("Cache-Control", "no-store")
        return response
