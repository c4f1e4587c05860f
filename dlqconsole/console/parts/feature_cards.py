"""The parts that features add to the console's own pages."""

from typing import Any

from django.http import HttpRequest
from django.utils.module_loading import import_string

from dlqconsole.features import Card, features

type Row = dict[str, Any]


def cards(place: str, request: HttpRequest, **facts: Any) -> list[Row]:
    """The cards of a place, a row for each feature that may have one: ``name``, ``card`` (or None)."""
    return [
        {"name": feature.name, "card": _card(feature.cards[place], request, facts)}
        for feature in features()
        if place in feature.cards
    ]


def _card(path: str, request: HttpRequest, facts: Row) -> Card | None:
    card: Card | None = import_string(path)(request, **facts)
    return card


def actions(rows: list[Row]) -> list[Row]:
    """Return the next actions that these cards propose."""
    return [dict(action) for row in rows if row["card"] for action in row["card"].actions]
