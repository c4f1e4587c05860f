"""Suggestions for the filter's box, as JSON: the page's script shows them below it."""

from dataclasses import asdict

from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe

from dlqconsole.console.access.permissions import viewer_required
from dlqconsole.engine.counts.suggestions import suggest
from dlqconsole.engine.dead_letters.language.reading import LONGEST
from dlqconsole.processing.inputs.plain_text import echo_text


@viewer_required
@require_safe
def suggestions(request: HttpRequest) -> JsonResponse:
    """Suggestions for the text before the caret, and the place in it that they replace from."""
    begin, found = suggest(echo_text(request.GET.get("text", ""), LONGEST))
    response = JsonResponse({"begin": begin, "suggestions": [asdict(each) for each in found]})
    response["Cache-Control"] = "no-store"
    return response
