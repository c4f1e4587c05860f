"""The dead letters that a reader asks for: by options, and by what Spark pushes down of a WHERE."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from typing import Any, Self

from dlqconsole.pipeline.errors import BadRequest
from dlqconsole.processing import categories
from dlqconsole.processing.inputs.numbers import as_id

# the columns of the frame by which the database looks
LISTS = ("status", "type", "source", "category", "error_class", "group_id")
MOMENT = "dead_lettered_at"
OPTIONS = (*LISTS, "since", "until", "url", "partitions")
STATUSES = ("PENDING", "RETRYING", "EXHAUSTED", "REVIVED", "QUARANTINED", "SUCCEEDED", "DISCARDED")


@dataclass(frozen=True, slots=True)
class LetterFilter:
    """A filter of dead letters; None: any value. ``since`` is in it, ``until`` is not."""

    status: tuple[str, ...] | None = None
    type: tuple[str, ...] | None = None
    source: tuple[str, ...] | None = None
    category: tuple[str, ...] | None = None
    error_class: tuple[str, ...] | None = None
    group_id: tuple[int, ...] | None = None
    since: datetime | None = None
    until: datetime | None = None

    @classmethod
    def by_options(cls, options: Mapping[str, str]) -> Self:
        """Read the options, whose lists are comma-separated. Raises BadRequest."""
        check_names(options, OPTIONS, "read")
        values: dict[str, Any] = {name: _split_list(name, options[name]) for name in LISTS if name in options}
        values |= {name: _moment(name, options[name]) for name in ("since", "until") if name in options}
        return cls(**values)

    @property
    def values(self) -> dict[str, Any]:
        """The parameters of the named queries."""
        parts = ((field.name, getattr(self, field.name)) for field in fields(self))
        return {name: list(value) if isinstance(value, tuple) else value for name, value in parts}

    def only(self, name: str, values: Iterable[Any]) -> Self:
        """Narrow it to rows whose column has one of these values, too."""
        before = getattr(self, name)
        common = tuple(value for value in values if before is None or value in before)
        change: dict[str, Any] = {name: common}
        return replace(self, **change)


def push_filters(selection: LetterFilter, filters: Iterable[Any]) -> tuple[LetterFilter, list[Any]]:
    """Return the selection narrowed by Spark's filters, and the filters that Spark still has to apply."""
    remaining_filters = []
    for each in filters:
        narrower = _narrow(selection, each)
        if narrower is None:
            remaining_filters.append(each)
        else:
            selection = narrower
    return selection, remaining_filters


def _narrow(selection: LetterFilter, each: Any) -> LetterFilter | None:
    from pyspark.sql.datasource import EqualTo, GreaterThanOrEqual, In, IsNotNull, LessThan

    column = each.attribute[0] if len(getattr(each, "attribute", ())) == 1 else None
    match each:
        case IsNotNull() if column in (*LISTS, MOMENT):
            return selection  # none of these columns is ever NULL
        case EqualTo() if column in LISTS:
            return selection.only(column, [each.value])
        case In() if column in LISTS:
            return selection.only(column, each.value)
        case GreaterThanOrEqual(value=datetime(tzinfo=zone) as since) if column == MOMENT and zone:
            return replace(selection, since=max(since, selection.since or since))
        case LessThan(value=datetime(tzinfo=zone) as until) if column == MOMENT and zone:
            return replace(selection, until=min(until, selection.until or until))
    return None


def ranges(first: int, last: int, most: int) -> Iterator[tuple[int, int]]:
    """Cut the ids from first to last into at most so many ranges."""
    size = max(1, -(-(last - first + 1) // most))
    for start in range(first, last + 1, size):
        yield start, min(start + size - 1, last)


def check_names(options: Mapping[str, str], names: Iterable[str], what: str) -> None:
    """Raise BadRequest for an unknown option: a mistyped filter would count everything."""
    for name in options:
        if name.lower() not in names:
            raise BadRequest(f"there is no option {name}; to {what} there are {', '.join(names)}")


def _split_list(name: str, text: str) -> tuple[Any, ...]:
    words = tuple(word.strip() for word in text.split(",") if word.strip())
    for word in words:
        if word not in {"status": STATUSES, "category": categories.ALL}.get(name, (word,)):
            raise BadRequest(f"option {name}: there is no {word}")
    if name != "group_id":
        return words
    numbers = [_group(word) for word in words]
    return tuple(numbers)


def _group(word: str) -> int:
    # a group's number is a hash, and may be below zero
    number = as_id(word.removeprefix("-"))
    if number is None:
        raise BadRequest(f"option group_id: {word!r} is not the number of a group")
    return -number if word.startswith("-") else number


def _moment(name: str, text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise BadRequest(f"option {name}: {text!r} is not a moment like 2026-01-31T12:00:00Z") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
