"""No page has a character that nobody sees: whatever showed it, it leaves as ``⟦U+202E⟧``.

Pages, parts of pages, the admin and errors alike. Left as they are: what a form sends back, and addresses.
"""

import re
from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase
from django.http.response import HttpResponse

from dlqconsole.processing.hidden_characters import HIDDEN, visible

# scripts and what somebody edits, tags, and the text between them
_PARTS = re.compile(r"<script\b.*?</script>|<textarea\b.*?</textarea>|<[^>]*>", re.DOTALL | re.IGNORECASE)
# attributes that are read, by people or aloud
_READ = re.compile(r'(?<=\s)((?:title|alt|placeholder|aria-[a-z]+)=")([^"]*)')


class VisiblePages:
    """Middleware: looks through each page, and changes the few that have such a character."""

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
    """The page with its hidden characters shown, as text between tags and in what is read of them."""
    shown, at = [], 0
    for part in _PARTS.finditer(html):
        shown += [visible(html[at : part.start()]), _tag(part[0])]
        at = part.end()
    return "".join([*shown, visible(html[at:])])


def _tag(tag: str) -> str:
    if tag.endswith(("</script>", "</textarea>")):
        return tag
    return _READ.sub(lambda found: found[1] + visible(found[2]), tag)
