"""Invisible characters never reach a page: each is shown as ``⟦U+202E⟧``.

That holds for pages, parts of pages, the admin and errors. Form values and addresses stay as they are.
"""

import re
from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase
from django.http.response import HttpResponse

from dlqconsole.processing.texts import HIDDEN, visible

# scripts and edited texts, tags, and the text between them
_PARTS = re.compile(r"<script\b.*?</script>|<textarea\b.*?</textarea>|<[^>]*>", re.DOTALL | re.IGNORECASE)
# attributes that are read, by people or aloud
_READ = re.compile(r'(?<=\s)((?:title|alt|placeholder|aria-[a-z]+)=")([^"]*)')


class VisiblePages:
    """Middleware: searches each page for such characters, and replaces them."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if isinstance(response, HttpResponse) and response.get("Content-Type", "").startswith("text/html"):
            text = response.content.decode(response.charset, "replace")
            if HIDDEN.search(text):
                response.content = visible_page(text)
        return response


def visible_page(html: str) -> str:
    """The page with its invisible characters shown, in texts and in attributes that people read or hear."""
    pieces, at = [], 0
    for part in _PARTS.finditer(html):
        pieces += [visible(html[at : part.start()]), _tag(part[0])]
        at = part.end()
    return "".join([*pieces, visible(html[at:])])


def _tag(tag: str) -> str:
    if tag.endswith(("</script>", "</textarea>")):
        return tag
    return _READ.sub(lambda match: match[1] + visible(match[2]), tag)
