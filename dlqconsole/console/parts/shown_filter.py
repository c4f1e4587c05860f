"""A filter on a page: its fields as typed, its errors, its active parts, and the links that remove them.

A failure group is shown by its title: a number tells a person nothing. Stored texts keep the number, so that
a purge leaves no words.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _

from dlqconsole.console.access.permissions import actor
from dlqconsole.console.masking import revelations
from dlqconsole.console.masking.texts import masked_texts
from dlqconsole.console.parts.list_layout import USUAL, ListLayout
from dlqconsole.core.errors import InvalidFilter
from dlqconsole.engine.counts import groups
from dlqconsole.engine.dead_letters.all_parts import PARTS, parameters
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.dead_letters.language.reading import PAYLOAD_PREFIX, TEXT
from dlqconsole.engine.gate import Shown
from dlqconsole.engine.models import DeadLetter
from dlqconsole.operations.models import Operation

_LONGEST = 2000  # characters of a wrong value that are shown again


@dataclass(frozen=True, slots=True)
class ShownFilter:
    """A parsed filter, or the sentences that say why it could not be parsed."""

    criteria: DeadLetterFilter
    fields: dict[str, str]
    errors: list[str] = field(default_factory=list)
    # the name of the filter's group
    group: str = ""
    # the text with a mistake in it, and the text with a caret below
    mistake: str = ""
    picture: str = ""
    # the order and the columns of its list
    layout: ListLayout = USUAL

    @classmethod
    def read(
        cls, values: Mapping[str, Any], request: HttpRequest, *, beside: Collection[str] | None = None
    ) -> ShownFilter:
        """Read a query string. An invalid one matches nothing: it must never widen to everything.

        ``beside``: other parameters that are allowed; None: any. A search for values is audited.
        """
        fields = {name: _as_typed(values.get(name, "")) for name in parameters()}
        fields |= {name: _as_typed(values[name]) for name in values if name.startswith(PAYLOAD_PREFIX)}
        try:
            criteria = DeadLetterFilter.parse(values, beside=beside)
            criteria.naming_what_is_there()
            revelations.note_search(criteria, actor(request))
            group = "" if criteria.group is None else group_name(criteria.group)
            # the box has the whole filter; a field adds to it
            layout = ListLayout.read(values, criteria.status)
            typed = dict.fromkeys(fields, "") | {TEXT: criteria.text}
            return cls(criteria, typed, group=group, layout=layout)
        except InvalidFilter as error:
            mistaken = cls(DeadLetterFilter(), fields, error.problems, layout=ListLayout.read(values))
            return replace(mistaken, mistake=error.text, picture=error.picture)

    @property
    def words(self) -> list[str]:
        """One phrase a part: ``type is flight.departed``."""
        return [f"{part['label']} {part['value']}".strip() for part in self.active]

    @property
    def literal_url(self) -> str:
        """The list with the mistaken text searched for as it stands."""
        return self.url_of(DeadLetterFilter(q=self.mistake)) if self.mistake else ""

    def form(self, suggestions: Mapping[str, list[str]]) -> list[dict[str, Any]]:
        """The form's fields, the search box first: ``part``, its ``value`` as typed, and ``suggestions``."""
        *others, search = (part for part in PARTS if part.title)
        return [
            {
                "part": part,
                "value": self.fields[part.name],
                "suggestions": suggestions.get(part.name, []),
            }
            for part in (search, *others)
        ]

    @property
    def querystring(self) -> str:
        return Shown(self.criteria.querystring)

    @property
    def address(self) -> str:
        """The query string of the list as it stands: the filter, the order and the columns."""
        return Shown(self.layout.beside(self.criteria))

    @property
    def cleared_url(self) -> str:
        """The list of everything, in this order and with these columns."""
        return self.url_of(DeadLetterFilter())

    def url_of(self, criteria: DeadLetterFilter) -> str:
        """The list's address for another filter, in this order and with these columns."""
        return list_url(Shown(self.layout.beside(criteria)))

    @property
    def active(self) -> list[dict[str, str]]:
        """A chip for each part, with the address of the list without it."""
        return [
            {
                "name": name,
                "label": label,
                "value": self.group if name == "group" else value,
                "remove_url": self.url_of(self.criteria.without(name)),
            }
            for name, label, value in self.criteria.labels()
        ]

    def queryset(self) -> QuerySet[DeadLetter]:
        return DeadLetter.objects.none() if self.errors else self.criteria.queryset()


def list_url(querystring: str) -> str:
    """The list's address for a filter; never masked if the query string is this person's own (``Shown``)."""
    url = reverse("dlq:dead_letters") + (f"?{querystring}" if querystring else "")
    return Shown(url) if isinstance(querystring, Shown) else url


def _as_typed(value: Any) -> str:
    return str(value).replace("\x00", "")[:_LONGEST].encode("utf-8", "replace").decode()


def group_name(group_id: int) -> str:
    """Its title, masked as on its own page; its number if the group is unknown."""
    return _names([group_id]).get(group_id, str(group_id))


def with_group_name(words: str, group_id: int | None) -> str:
    """The words of a filter, with the title of the group that they name by its number."""
    return words if group_id is None else _with_name(words, group_id, _names([group_id]))


def name_groups(operations: Iterable[Operation]) -> None:
    """Set ``scope_words`` of each operation: its scope, as it is shown."""
    over = {row.pk: row.group_id for row in operations if row.scope == "filter" and row.group_id is not None}
    names = _names(over.values())
    for row in operations:
        row.scope_words = _with_name(_kept(row.filter_words), over.get(row.pk), names)  # type: ignore[attr-defined]


def _kept(words: str) -> str:
    """Words that are kept, in English; those of no filter at all are the reader's."""
    return _("all dead letters") if words == "all dead letters" else words


def _with_name(words: str, group_id: int | None, names: dict[int, str]) -> str:
    if group_id not in names:
        return words
    # stored words are English, those of a page are as its reader reads
    for label in ("group is", _("group is")):
        words = words.replace(f"{label} {group_id}", f"{label} {names[group_id]}")
    return words


def _names(group_ids: Iterable[int]) -> dict[int, str]:
    texts = masked_texts()
    titles = groups.titles(group_ids)
    return {pk: Shown(f"“{texts.text(title)}”") for pk, title in titles.items()}
