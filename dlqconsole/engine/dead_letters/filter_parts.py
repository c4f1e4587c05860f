"""The parts of the one filter, a row each: its names, its reading, and its condition.

A new part is a row here. The list's form and its chips, the addresses, the command line, counts, exports and
operations know it then; one that has to be quick needs an index, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from difflib import get_close_matches
from functools import partial
from typing import Any

from django.db.models import Q
from django.db.models.expressions import Combinable
from django.utils.translation import gettext as _

from dlqconsole.core.lifecycle.states import Category, DeadLetterStatus
from dlqconsole.engine.dead_letters import searching
from dlqconsole.engine.dead_letters.searching import Meaning
from dlqconsole.hosting.wording import gettext_lazy
from dlqconsole.processing.inputs.numbers import LARGEST, as_id
from dlqconsole.processing.inputs.plain_text import quoted
from dlqconsole.processing.inputs.times import as_duration, as_moment

_EARLIEST, _LATEST = datetime(2000, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC)


class Ago(datetime):
    """A moment so long before now, with its text, ``24h``: an address or a rule keeps that."""

    text = ""


class NotReadable(ValueError):
    """The rest of a sentence that begins with the part's name and says what is wrong with its text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterPart:
    """One parameter of the filter. An empty text stands for ``nothing``: the part is not there.

    ``read`` makes a value of a stripped text and raises NotReadable; ``condition`` says which rows it means,
    by columns of ``dlq_events`` and those of ``alias``. A searched text has ``means`` instead.
    ``like``, ``ordered`` and ``exists`` say what else the filter language can ask of it.
    """

    name: str
    # "type is": what a chip and the filter's sentence say before the value
    label: str
    condition: Callable[[Any], Q] | None = None
    # instead of a condition: the meaning of a searched text within a scope
    means: Callable[[str], Meaning] | None = None
    read: Callable[[str], Any] = str
    nothing: Any = ""
    alias: Mapping[str, Combinable] = field(default_factory=dict)
    # the title of its field in the list's form; empty: it has none, and is carried along
    title: str = ""
    # the choices; empty: any text may be typed
    choices: tuple[str, ...] = ()
    # the value's words for a receipt and the audit log; None: as it is
    says: Callable[[str], str] | None = None
    # shown in the empty field
    example: str = ""
    # the condition for a pattern of LIKE; None: a star is an error
    like: Callable[[str], Q] | None = None
    # its patterns look into texts that may be masked: they are for who searches values
    like_reads_values: bool = False
    # the column that > and < compare; empty: they are an error
    ordered: str = ""
    # the condition of having any value, for ``has:name``; None: it has always one
    exists: Callable[[], Q] | None = None
    # values that must each match at least one dead letter, with the problem if they do not, as NotReadable
    # has it
    found_by: Callable[[Any], list[tuple[Any, str]]] = lambda value: []


def _one_of(choices: list[str]) -> Callable[[str], str]:
    def read(text: str) -> str:
        value = text.upper()
        if value not in choices:
            refusal = _("must be one of {choices}; it is {text}")
            if near := get_close_matches(value, choices, 1):
                refusal = _("must be one of {choices}; it is {text}; did you mean {near}?")
            raise NotReadable(
                refusal.format(choices=", ".join(choices), text=quoted(value), near="".join(near))
            )
        return value

    return read


def _number(text: str) -> int:
    number = as_id(text)
    if number is None:
        if text.isascii() and text.isdigit():
            refusal = _("is larger than any number here ({largest:,}); it is {text}")
            raise NotReadable(refusal.format(largest=LARGEST, text=quoted(text)))
        raise NotReadable(_("must be a number; it is {text}").format(text=quoted(text)))
    return number


def _times(text: str) -> int:
    number = as_id(text)
    if number is None or not 0 < number <= 1_000_000_000:
        raise NotReadable(_("must be a number of times, 1 or more; it is {text}").format(text=quoted(text)))
    return number


def _count(text: str) -> int:
    number = 0 if text == "0" else as_id(text)
    if number is None or number > 1_000_000_000:
        raise NotReadable(_("must be a number; it is {text}").format(text=quoted(text)))
    return number


def _moment(text: str) -> datetime:
    moment = _age(text.removeprefix("-")) or as_moment(_plus_restored(text))
    if moment is None:
        raise NotReadable(
            _(
                "must be a date (2026-11-21), a time (2026-11-21T03:00) or an age (90m, 24h, -7d);"
                " it is {text}"
            ).format(text=quoted(text))
        )
    if not _EARLIEST <= moment < _LATEST:
        raise NotReadable(_("must lie between 2000 and 2100; it is {text}").format(text=quoted(text)))
    return moment


def _age(text: str) -> Ago | None:
    """Return the moment that is so long ago: ``24h``."""
    age = as_duration(text)
    if age is None:
        return None
    now = datetime.now(UTC) - age
    moment = Ago.combine(now.date(), now.timetz())
    moment.text = "".join(text.split()).lstrip("0").rjust(2, "0")
    return moment


def _as_ago(text: str) -> str:
    """Return an age in words; a moment as it is."""
    return text if as_duration(text) is None else _("{age} ago").format(age=text)


def as_text(value: Any) -> str:
    """Return the text of a part's value, which its ``read`` reads."""
    if isinstance(value, Ago) and value.text:
        return value.text
    return value.isoformat() if isinstance(value, datetime) else str(value)


def fixed_text(value: Any) -> str:
    """Return the text of a part's value that means the same at any later time, too."""
    return value.isoformat() if isinstance(value, datetime) else as_text(value)


def _plus_restored(text: str) -> str:
    """Restore a plus: in a query string "+00:00" arrives as " 00:00"."""
    return re.sub(r" (\d\d:\d\d)$", r"+\1", text) if "T" in text else text


def _of_types(like: str) -> Q:
    return Q(event_type__in=searching.types_like(like))


def _on_queues(like: str) -> Q:
    names = searching.queues_like(like)
    return Q(queue__in=names) | Q(queue__isnull=True, event_type__in=names)


def _on_queue(name: str) -> Q:
    """Return the condition. A dead letter without a queue is on the one named after its event type."""
    return Q(queue=name) | Q(queue__isnull=True, event_type=name)


# Those that features declare come beside them, in ``filters``.
PARTS: list[FilterPart] = [
    FilterPart(
        name="reason",
        label=gettext_lazy("reason contains"),
        title=gettext_lazy("Reason contains"),
        means=searching.reason,
    ),
    FilterPart(
        name="type",
        label=gettext_lazy("type is"),
        title=gettext_lazy("Event type"),
        condition=lambda value: Q(event_type=value),
        like=_of_types,
    ),
    FilterPart(
        name="category",
        label=gettext_lazy("category is"),
        title=gettext_lazy("Category"),
        choices=tuple(Category),
        read=_one_of(list(Category)),
        condition=lambda value: Q(error_category=value),
    ),
    FilterPart(
        # the list's tabs choose it
        name="status",
        label=gettext_lazy("status is"),
        read=_one_of(list(DeadLetterStatus)),
        condition=lambda value: Q(status=value),
    ),
    FilterPart(
        name="queue",
        label=gettext_lazy("queue is"),
        title=gettext_lazy("Queue"),
        condition=_on_queue,
        like=_on_queues,
        exists=lambda: Q(queue__isnull=False),
    ),
    FilterPart(
        name="group",
        label=gettext_lazy("group is"),
        read=_number,
        nothing=None,
        condition=lambda value: Q(group_id=value),
    ),
    FilterPart(
        name="came_back",
        label=gettext_lazy("failed again at least"),
        read=_times,
        nothing=None,
        condition=lambda value: Q(come_backs__gte=value),
        ordered="come_backs",
    ),
    FilterPart(
        name="tries",
        label=gettext_lazy("tries are"),
        read=_count,
        nothing=None,
        condition=lambda value: Q(retry_count=value),
        ordered="retry_count",
    ),
    FilterPart(name="key", label=gettext_lazy("id or key is"), condition=searching.by_id),
    FilterPart(
        name="error",
        label=gettext_lazy("error class is"),
        condition=lambda value: Q(error_class=value),
        like=lambda like: searching.like("error_class", like),
        like_reads_values=True,
        exists=lambda: ~Q(error_class=""),
    ),
    FilterPart(
        name="source",
        label=gettext_lazy("source is"),
        condition=lambda value: Q(source=value),
        like=lambda like: searching.like("source", like),
        like_reads_values=True,
    ),
    *(
        FilterPart(
            name=name,
            label=label,
            condition=partial(searching.in_groups, name),
            exists=partial(searching.in_groups, name),
        )
        for name, label in (
            ("note", gettext_lazy("note contains")),
            ("ticket", gettext_lazy("ticket contains")),
        )
    ),
    FilterPart(
        name="since",
        label=gettext_lazy("failed since"),
        title=gettext_lazy("Since"),
        example="2026-01-31",
        read=_moment,
        says=_as_ago,
        nothing=None,
        condition=lambda value: Q(created_at__gte=value),
    ),
    FilterPart(
        name="until",
        label=gettext_lazy("failed before"),
        title=gettext_lazy("Until"),
        example="2026-02-01",
        read=_moment,
        says=_as_ago,
        nothing=None,
        condition=lambda value: Q(created_at__lt=value),
    ),
    FilterPart(
        name="q",
        label=gettext_lazy("anything contains"),
        title=gettext_lazy("Filter"),
        example=gettext_lazy("Id, key or text; or type:order.* -status:DISCARDED since:24h"),
        means=searching.anything,
    ),
]
