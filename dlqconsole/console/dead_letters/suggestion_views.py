"""Suggestions for the filter's box: the page's script shows them below it."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from dlqconsole.console.access.permissions import viewer_required
from dlqconsole.console.parts.responses import page
from dlqconsole.engine.counts.suggestions import suggest
from dlqconsole.engine.dead_letters.language.reading import LONGEST
from dlqconsole.processing.inputs.plain_text import echo_text


@viewer_required
@require_safe
def suggestions(request: HttpRequest) -> HttpResponse:
    """Suggestions for the text before the caret, and the place in it that they replace from."""
    begin, entries = suggest(echo_text(request.GET.get("text", ""), LONGEST))
    context = {"parts": [{"title": "", "begin": begin, "entries": entries}]}
    return page(request, "console/parts/options.html", context)
