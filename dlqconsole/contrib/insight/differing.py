"""The differences between a part of a time and its rest: the statistics of a group's common ground."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any
from urllib.parse import parse_qsl

import orjson
from django.db.models import QuerySet

from dlqconsole.contrib.insight.common import BUDGET, LARGEST
from dlqconsole.contrib.insight.showing import TraitWords, shown, value_filter
from dlqconsole.contrib.insight.sql import sql
from dlqconsole.contrib.insight.statistics.common_ground import (
    ABSENT,
    PRESENT,
    TYPE,
    VALUE,
    SharedTrait,
    common_traits,
    tally,
)
from dlqconsole.core.named_sql import fetch_dicts
from dlqconsole.engine.counts.summaries import TooSlow, time_budget
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.models import DeadLetter

# of each side so many are read, chosen by chance AMONG its newest
MOST, AMONG = 1_000, 20_000
MOST_TRAITS = 40
# so many paths that are there, or not, in nearly the same dead letters are told
ALIKE = 4
# what a dead letter has beside its payload and headers; all but the class are parts of the filter
_FIELDS = ("type", "category", "error_class", "queue", "status", "source", "group")

type Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Side:
    """The dead letters of one side: how many were read, chosen ``among`` its newest."""

    read: int
    among: int


@dataclass(frozen=True, slots=True)
class Difference:
    """The traits that the first side has more often than the second, the most telling first."""

    part: Side
    rest: Side
    found: list[TraitWords]
    too_slow: bool = False


def difference(part: DeadLetterFilter, whole: DeadLetterFilter) -> Difference:
    """Compare a part, by its ``since`` and ``until``, with the rest of a whole time."""
    rest = whole.queryset().exclude(created_at__gte=part.since, created_at__lt=part.until)
    try:
        with time_budget(2 * BUDGET):
            ours, our_number = _letters(part.queryset())
            others, their_number = _letters(rest)
    except TooSlow:
        return Difference(Side(0, 0), Side(0, 0), [], too_slow=True)
    findings = _plainest_first(common_traits(tally(ours), tally(others)))
    traits = [trait for finding in findings if (trait := _shown(finding, part)) is not None]
    return Difference(Side(len(ours), our_number), Side(len(others), their_number), traits[:MOST_TRAITS])


def _letters(letters: QuerySet[DeadLetter]) -> tuple[list[Row], int]:
    """Read some of the newest, and count these."""
    ids = list(letters.order_by("-created_at", "-id").values_list("pk", flat=True)[:AMONG])
    chosen = Random(0).sample(ids, min(MOST, len(ids)))  # noqa: S311 - the same page shows the same
    rows = fetch_dicts(sql("common.letters"), {"ids": chosen, "largest": LARGEST})
    return [_document(row) for row in rows], len(ids)


def _document(row: Row) -> Row:
    payload, headers = (row[name] and orjson.loads(row[name]) for name in ("payload", "headers"))
    return {name: row[name] for name in _FIELDS} | {"header": headers, "payload": payload}


def _plainest_first(findings: Sequence[SharedTrait]) -> list[SharedTrait]:
    """Of what tells as much first the fields, then the paths; few of the paths that only come with a type."""
    in_order = sorted(findings, key=lambda one: (-round(20 * (one.share - one.usual_share)), _is_path(one)))
    alike: Counter[tuple[float, float]] = Counter()
    return [one for one in in_order if not _is_shape(one) or _count(alike, one) <= ALIKE]


def _count(alike: Counter[tuple[float, float]], one: SharedTrait) -> int:
    signature = (round(one.share, 1), round(one.usual_share, 1))
    alike[signature] += 1
    return alike[signature]


def _is_path(one: SharedTrait) -> bool:
    return one.trait.path[0] in ("header", "payload")


def _is_shape(one: SharedTrait) -> bool:
    return _is_path(one) and one.trait.kind in (PRESENT, ABSENT, TYPE)


def _shown(finding: SharedTrait, part: DeadLetterFilter) -> TraitWords | None:
    trait = shown(finding)
    return None if trait is None else replace(trait, filter=_filter(finding, part))


def _filter(finding: SharedTrait, part: DeadLetterFilter) -> str:
    """The query string of the part's dead letters with it; empty unless the filter means exactly these."""
    (root, *path), kind, what = finding.trait.path, finding.trait.kind, finding.trait.what
    if kind != VALUE or root == "header":
        return ""
    if root == "payload":
        value = value_filter(tuple(path), what) if path else ""
        return part.also(DeadLetterFilter.parse(dict(parse_qsl(value)))).querystring if value else ""
    if root == "error_class" or root in part.facets():
        return ""
    return part.also(DeadLetterFilter.parse({root: what})).querystring


def group_numbers(found: Sequence[TraitWords]) -> list[int]:
    """The groups that the findings name by number."""
    return [int(trait.says.removeprefix("is ")) for trait in found if _is_group(trait)]


def _is_group(trait: TraitWords) -> bool:
    return trait.path == "group" and trait.says.removeprefix("is ").removeprefix("-").isdigit()
