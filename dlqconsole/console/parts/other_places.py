"""Dead letters that lie elsewhere than in the list: in a place that a feature has."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.module_loading import import_string

from dlqconsole.features import features


def page_elsewhere(request: HttpRequest, letter_id: int) -> HttpResponse:
    """The page of a dead letter that is not in the list. Raises Http404."""
    answer: HttpResponse = _first("page", request, letter_id)
    return answer


def payload_elsewhere(request: HttpRequest, letter_id: int) -> tuple[bytes, bool]:
    """Its payload, and whether that is JSON. Raises Http404."""
    answer: tuple[bytes, bool] = _first("payload", request, letter_id)
    return answer


def _first(name: str, request: HttpRequest, letter_id: int) -> Any:
    for place in [feature.other_place for feature in features() if feature.other_place]:
        if (answer := import_string(getattr(place, name))(request, letter_id)) is not None:
            return answer
    raise Http404(f"There is no dead letter {letter_id}.")
