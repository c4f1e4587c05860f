"""Which dead letters a reader asks for: by options, and by what Spark pushes down of a WHERE."""

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
class Wanted:
    """None: whatever it is. ``since`` is in it, ``until`` is not."""

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
        found: dict[str, Any] = {name: _listed(name, options[name]) for name in LISTS if name in options}
        found |= {name: _moment(name, options[name]) for name in ("since", "until") if name in options}
        return cls(**found)

    @property
    def values(self) -> dict[str, Any]:
        """The parameters of the named queries."""
        named = ((field.name, getattr(self, field.name)) for field in fields(self))
        return {name: list(value) if isinstance(value, tuple) else value for name, value in named}

    def only(self, name: str, allowed: Iterable[Any]) -> Self:
        """Of these, those whose column has one of these values, too."""
        before = getattr(self, name)
        kept = tuple(value for value in allowed if before is None or value in before)
        changed: dict[str, Any] = {name: kept}
        return replace(self, **changed)


def pushed(wanted: Wanted, filters: Iterable[Any]) -> tuple[Wanted, list[Any]]:
    """What is wanted with Spark's filters, all of which hold; and those that Spark has to look at still."""
    left = []
    for each in filters:
        narrower = _narrowed(wanted, each)
        if narrower is None:
            left.append(each)
        else:
            wanted = narrower
    return wanted, left


def _narrowed(wanted: Wanted, each: Any) -> Wanted | None:
    from pyspark.sql.datasource import EqualTo, GreaterThanOrEqual, In, IsNotNull, LessThan

    column = each.attribute[0] if len(getattr(each, "attribute", ())) == 1 else None
    match each:
        case IsNotNull() if column in (*LISTS, MOMENT):
            return wanted  # none of these columns is ever NULL
        case EqualTo() if column in LISTS:
            return wanted.only(column, [each.value])
        case In() if column in LISTS:
            return wanted.only(column, each.value)
        case GreaterThanOrEqual(value=datetime(tzinfo=zone) as since) if column == MOMENT and zone:
            return replace(wanted, since=max(since, wanted.since or since))
        case LessThan(value=datetime(tzinfo=zone) as until) if column == MOMENT and zone:
            return replace(wanted, until=min(until, wanted.until or until))
    return None


def ranges(first: int, last: int, most: int) -> Iterator[tuple[int, int]]:
    """Cut the ids from first to last into at most so many ranges."""
    size = max(1, -(-(last - first + 1) // most))
    for start in range(first, last + 1, size):
        yield start, min(start + size - 1, last)


def check_names(options: Mapping[str, str], known: Iterable[str], what: str) -> None:
    """Raises BadRequest: with a typing error a filter would count everything, a source be lost."""
    for name in options:
        if name.lower() not in known:
            raise BadRequest(f"there is no option {name}; to {what} there are {', '.join(known)}")


def _listed(name: str, text: str) -> tuple[Any, ...]:
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
    found = as_id(word.removeprefix("-"))
    if found is None:
        raise BadRequest(f"option group_id: {word!r} is not the number of a group")
    return -found if word.startswith("-") else found


def _moment(name: str, text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise BadRequest(f"option {name}: {text!r} is not a moment like 2026-01-31T12:00:00Z") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
