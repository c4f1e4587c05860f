"""Suggestions while a filter is typed: keys, and values with their counts, as far as they may be seen."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from dlqconsole.core.named_sql import fetch_dicts
from dlqconsole.engine import gate
from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.counts import groups, summaries
from dlqconsole.engine.dead_letters import searching
from dlqconsole.engine.dead_letters.all_parts import PARTS
from dlqconsole.engine.dead_letters.language.reading import HAS, PAYLOAD_PREFIX, TEXT
from dlqconsole.engine.dead_letters.language.tree import Value
from dlqconsole.engine.dead_letters.language.writing import write_value
from dlqconsole.engine.sql import sql

MOST = 12
NEWEST = 300  # dead letters whose payloads, sources and error classes are looked at
_BUDGET = 300  # milliseconds
_COUNTED = {
    "type": "event_type", "queue": "queue", "category": "error_category", "status": "status",
    "group": "group_id",
}  # fmt: skip
_OF_NEWEST = {"error": "error_class", "source": "source"}
_AGES = ("1h", "24h", "7d", "30d")
# the token at the end of a text: perhaps a minus or a parenthesis, a key, perhaps a value
_TOKEN = re.compile(
    r'(?:^|(?<=[\s(\[,-]))(?:(?P<key>payload\.(?:"[^"]*"|[^\s:()\[\],"]+)|[a-z_]+):'
    r'(?P<list>\[(?:[^\]]*,)?\s*)?(?P<value>"[^"]*|[^\s()\[\],"]*)|(?P<begun>[\w.]*))$'
)


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A text to put in place of what was begun, its words, and how many dead letters have it.

    ``count`` is exact; of what was seen in the newest alone, the words say it.
    """

    text: str
    words: str = ""
    count: int | None = None


def suggest(text: str) -> tuple[int, list[Suggestion]]:
    """Return suggestions for the end of a text, and the place in it where they begin."""
    match = _TOKEN.search(text[-500:])
    if match is None:
        return len(text), []
    shift = len(text) - len(text[-500:])
    if match["key"] is None:
        return shift + match.start("begun"), list(_keys(match["begun"]))[:MOST]
    begun = match["value"].removeprefix('"')
    return shift + match.start("value"), list(_values(match["key"], begun))[:MOST]


def _keys(begun: str) -> Iterator[Suggestion]:
    if begun.startswith(PAYLOAD_PREFIX):
        yield from _paths(begun.removeprefix(PAYLOAD_PREFIX))
        return
    for part in PARTS:
        if part.name != TEXT and part.name.startswith(begun):
            yield Suggestion(f"{part.name}:", part.label)
    if HAS.startswith(begun):
        yield Suggestion(f"{HAS}:", _("has any"))
    if PAYLOAD_PREFIX.startswith(begun) and current_access().searches_values:
        yield Suggestion(PAYLOAD_PREFIX, _("a path into the payload"))


def _values(key: str, begun: str) -> Iterator[Suggestion]:
    if key == HAS:
        names = [part.name for part in PARTS if part.exists]
        yield from (Suggestion(name) for name in names if name.startswith(begun))
    elif key in ("since", "until"):
        yield from (Suggestion(age, _("{age} ago").format(age=age)) for age in _AGES if age.startswith(begun))
    elif key in _COUNTED:
        yield from _counted(key, begun)
    elif key in _OF_NEWEST:
        yield from _seen(_within("of_newest", begun, column=_OF_NEWEST[key]))
    elif key.startswith(PAYLOAD_PREFIX) and current_access().searches_values:
        path = key.removeprefix(PAYLOAD_PREFIX).strip('"')
        if not searching.hides(path):
            yield from _seen(_within("at_path", begun, path=path.split(".")))


def _counted(key: str, begun: str) -> Iterator[Suggestion]:
    access = current_access()
    counted = access.columns("queue", "event_type")
    text = sql("suggestions.counted").format(column=_COUNTED[key], counted=counted)
    rows = fetch_dicts(text, {"like": Value((begun, "")).like(), "limit": MOST} | access.values())
    titles = groups.titles(int(row["value"]) for row in rows) if key == "group" else {}
    for row in rows:
        title = titles.get(int(row["value"]), "") if titles else ""
        yield from _shown([row], gate.shown(title))


def _paths(begun: str) -> Iterator[Suggestion]:
    if not current_access().searches_values:
        return
    for row in _within("paths", begun):
        if gate.shown(row["value"]) == row["value"]:
            yield Suggestion(f"{PAYLOAD_PREFIX}{row['value']}:", _of_newest(row))


def _within(query: str, begun: str, *, column: str = "", **values: object) -> list[dict[str, Any]]:
    """Run a query over the newest dead letters of the scope; nothing where it takes too long."""
    access = current_access()
    text = sql(f"suggestions.{query}").format(column=column, letters=access.letters("d"))
    given = {"like": Value((begun, "")).like(), "limit": MOST, "newest": NEWEST} | access.values() | values
    try:
        with summaries.time_budget(_BUDGET):
            return fetch_dicts(text, given)
    except summaries.TooSlow:
        return []


def _of_newest(row: dict[str, Any]) -> str:
    return _("{number:,} of the newest {newest:,}").format(number=row["letters"], newest=NEWEST)


def _seen(rows: list[dict[str, Any]]) -> Iterator[Suggestion]:
    """Yield values of the newest, which are no count of all."""
    for row in rows:
        for each in _shown([row]):
            yield Suggestion(each.text, _of_newest(row))


def _shown(rows: list[dict[str, Any]], words: str = "") -> Iterator[Suggestion]:
    """Yield values that nothing in them masks."""
    for row in rows:
        value = str(row["value"])
        if value and gate.shown(value) == value:
            yield Suggestion(write_value(Value((value,))), words, row["letters"])
