"""The headers of every page: no script but ours, and no copy in any cache."""

from collections.abc import Callable
from functools import cache
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase

type Handler = Callable[[HttpRequest], HttpResponseBase]

_OURS = ("script-src", "style-src", "font-src")
_SELF = ("connect-src", "form-action")
_NONE = ("default-src", "base-uri", "frame-ancestors", "object-src")


@cache
def policy() -> str:
    """Return the Content-Security-Policy. A project may have its static files on another host."""
    static = urlsplit(settings.STATIC_URL)
    source = f"'self' {static.scheme}://{static.netloc}" if static.scheme and static.netloc else "'self'"
    return "; ".join(
        [
            *(f"{name} 'none'" for name in _NONE),
            *(f"{name} {source}" for name in _OURS),
            *(f"{name} 'self'" for name in _SELF),
            f"img-src {source} data:",
        ]
    )


class ContentPolicy:
    """Middleware: a Content-Security-Policy, unless the page has one."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        response.headers.setdefault("Content-Security-Policy", policy())
        return response


class NoStore:
    """Middleware: no cache stores a page, unless the page says otherwise."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        response.headers.setdefault("Cache-Control", "no-store")
        return response
