"""Responses: a whole page for a browser, one part for htmx, and never cached."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers

from dlqconsole.console.rendering import render


def page(
    request: HttpRequest, template: str, context: dict[str, Any], *, part: str = "", status: int = 200
) -> HttpResponse:
    """Render the page, or only its part if htmx asks, a template that the page's own includes.

    No cache may keep other people's data.
    """
    response = render(request, part if part and wants_part(request) else template, context, status)
    response["Cache-Control"] = "no-store"
    patch_vary_headers(response, ["HX-Request"])
    return response


def for_programs[View: Callable[..., Any]](view: View) -> View:
    """Mark a view whose answers programs read: they are English, whatever the person's language is."""
    view.is_for_programs = True  # type: ignore[attr-defined]
    return view


def wants_part(request: HttpRequest) -> bool:
    """Tell whether htmx asks for a part; going back through the history needs the whole page."""
    htmx = getattr(request, "htmx", None)
    return bool(htmx and not htmx.boosted and not htmx.history_restore_request)


def payload_download(name: str, content: bytes, *, is_json: bool, is_masked: bool = False) -> HttpResponse:
    """A payload's bytes as a file that no browser opens by itself."""
    name += "-masked" if is_masked else ""
    headers = {
        "Content-Disposition": f'attachment; filename="{name}.{"json" if is_json else "bin"}"',
        "Cache-Control": "no-store",
        "Content-Security-Policy": "sandbox",
        "X-Content-Type-Options": "nosniff",
    }
    return HttpResponse(content, content_type="application/octet-stream", headers=headers)
