"""The middleware of the console's pages, around each of them and around nothing else.

A project's own MIDDLEWARE opens the session and finds the person; its other pages are left alone.
"""

from collections.abc import Callable, Iterable
from functools import cache, wraps
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.http import HttpRequest, HttpResponseBase
from django.middleware.csrf import CsrfViewMiddleware
from django.urls import URLPattern, URLResolver
from django.utils import timezone, translation
from django_htmx.middleware import HtmxMiddleware

from dlqconsole.console.access.middleware import ActingPerson
from dlqconsole.console.access.permissions import ScopedRequests
from dlqconsole.console.errors import FriendlyErrors
from dlqconsole.console.parts.viewers_zone import zone_of
from dlqconsole.console.parts.visible_pages import VisiblePages
from dlqconsole.engine.database.memoized import memoizing
from dlqconsole.hosting.languages import SOURCE, spoken

_OURS = ("script-src", "style-src", "font-src")
_SELF = ("connect-src", "form-action")
_NONE = ("default-src", "base-uri", "frame-ancestors", "object-src")

type View = Callable[..., HttpResponseBase]


class _Layer:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response


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


class ContentPolicy(_Layer):
    """Middleware: a Content-Security-Policy, by which no script but ours runs, unless the page has one."""

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        response.headers.setdefault("Content-Security-Policy", policy())
        return response


class NoStore(_Layer):
    """Middleware: no cache stores a page, unless the page says otherwise."""

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        response.headers.setdefault("Cache-Control", "no-store")
        return response


class Formats(_Layer):
    """Middleware: times by the viewer's clock, and words in a language that the console has.

    The project says which, as for its own pages. What programs read (``for_programs``) is English.
    """

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        view = request.resolver_match.func if request.resolver_match else None
        language = SOURCE if getattr(view, "is_for_programs", False) else spoken()
        with timezone.override(zone_of(request)), translation.override(language):
            response = self.get_response(request)
        response.headers.setdefault("Content-Language", language)
        return response


class RequestCache(_Layer):
    """Middleware: a page that only reads runs each query once, for all its parts."""

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.method not in ("GET", "HEAD"):
            return self.get_response(request)
        with memoizing():
            return self.get_response(request)


# the first is the outermost
_LAYERS = (
    ContentPolicy,
    NoStore,
    VisiblePages,
    Formats,
    CsrfViewMiddleware,  # checks what no middleware of the project has checked
    ScopedRequests,
    LoginRequiredMiddleware,
    HtmxMiddleware,
    FriendlyErrors,
    ActingPerson,
    RequestCache,
)


def served(patterns: Iterable[URLPattern | URLResolver]) -> list[URLPattern | URLResolver]:
    """Put the middleware around each page of these addresses, however deep it stands; return them."""
    patterns = list(patterns)
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            served(pattern.url_patterns)
        elif not hasattr(pattern.callback, "is_served"):
            pattern.callback = _around(pattern.callback)
    return patterns


def _around(view: View) -> View:
    """Return the view in its middleware, whose hooks are called as Django calls them."""

    def innermost(request: HttpRequest) -> Any:
        try:
            answer: Any = answered(request, *request._dlq_arguments)  # type: ignore[attr-defined]
            # a response of Django's own views comes unrendered
            return answer.render() if hasattr(answer, "render") else answer
        except Exception as error:
            for layer in reversed(layers):
                if explanation := _hook(layer, "process_exception")(request, error):
                    return explanation
            raise

    def answered(request: HttpRequest, arguments: Any, keywords: Any) -> HttpResponseBase:
        for layer in layers:
            if early := _hook(layer, "process_view")(request, view, arguments, keywords):
                return early
        return view(request, *arguments, **keywords)

    layers: list[Any] = []
    handler: Any = innermost
    for layer in reversed(_LAYERS):
        handler = layer(handler)
        layers.insert(0, handler)

    @wraps(view)
    def page(request: HttpRequest, *arguments: Any, **keywords: Any) -> HttpResponseBase:
        request._dlq_arguments = arguments, keywords  # type: ignore[attr-defined]
        answer: HttpResponseBase = handler(request)
        return answer

    page.is_served = True  # type: ignore[attr-defined]
    page.is_open = not getattr(view, "login_required", True)  # type: ignore[attr-defined]
    # the layer above asks who it is; a project's own would send htmx to a whole page
    page.login_required = False  # type: ignore[attr-defined]
    return page


def _hook(layer: Any, name: str) -> Callable[..., HttpResponseBase | None]:
    return getattr(layer, name, _nothing)


def _nothing(*_arguments: Any) -> None:
    return None
