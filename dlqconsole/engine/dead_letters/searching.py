"""The meaning of a searched text: failure groups, event types, ids; and values, for operators.

Viewers search event types, whole keys and ids, and the sentences of failure groups: these have their variable
parts taken out, and are masked here as on every page. Operators (``AccessScope.searches_values``) search in
reasons and payloads, too. Each of these has an index.
"""

import json
import re
from dataclasses import dataclass

from django.db.models import BooleanField, Q
from django.db.models.expressions import RawSQL

from dlqconsole.core.named_sql import fetch_column, fetch_dicts
from dlqconsole.engine import gate
from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.dead_letters import payload_indexes
from dlqconsole.engine.sql import sql
from dlqconsole.hosting.database import connection
from dlqconsole.processing.inputs.numbers import as_id

# as jsonpath writes it; of a negative one no index knows
_NUMBER = re.compile(r"(?:0|[1-9][0-9]*)(?:\.[0-9]+)?")
# as people compare with it
_DECIMAL = re.compile(r"-?(?:0|[1-9][0-9]{0,300})(?:\.[0-9]{1,300})?", re.ASCII)
# the shortest piece of a word that the index of reasons knows
_KNOWN = re.compile(r"[^\W_]{3}")
# the levels of a payload that the search box looks into: one of a hundred thousand must not harm a search
DEEPEST = 8
_NEGATIVE, _CONTAINER = re.compile(r"-[0-9]"), ("{", "[")


@dataclass(frozen=True, slots=True)
class Meaning:
    """The dead letters that a text means: those of groups and event types with kept counts, and others.

    ``others``: a condition that has to be asked of the dead letters; None: there are none.
    """

    groups: tuple[int, ...] = ()
    types: tuple[str, ...] = ()
    others: Q | None = None

    @property
    def named(self) -> Q:
        """The condition of dead letters whose group or event type matches."""
        return Q(group_id__in=self.groups) | Q(event_type__in=self.types)

    @property
    def condition(self) -> Q:
        """The condition of all of them."""
        return self.named if self.others is None else self.named | self.others


def reason(text: str) -> Meaning:
    """Find dead letters whose reason contains the text."""
    return Meaning(_groups(text), others=_in_reason(text) if current_access().searches_values else None)


def anything(text: str) -> Meaning:
    """Find the text as an id or a key, in event types and reasons, and as a value of payloads."""
    others = _condition("id", text)
    if (number := as_id(text)) is not None:
        others |= Q(pk=number)
    if current_access().searches_values:
        others |= _in_reason(text)
        if payload_indexes.has_values():
            others |= _in_payload(text, f"0 to {DEEPEST}") or Q()
    return Meaning(_groups(text), _types(text), others)


def by_id(text: str) -> Q:
    """Return the condition for the text as a number, an id or a key: quick on a busy machine, too."""
    number = as_id(text)
    return _condition("id", text) if number is None else _condition("id", text) | Q(pk=number)


def at_path(path: str, text: str) -> Q:
    """Return the condition for the text at a dotted path of the payload. Either payload index serves it."""
    place = path.split(".")
    match = _condition("at_path", place, text, place, text)
    # without its index it costs more than all the rest
    return match & (_in_payload(text, str(len(place))) or Q()) if payload_indexes.has_values() else match


def like_at_path(path: str, like: str) -> Q:
    """Return the condition for a text, number or boolean at a path that matches a pattern."""
    place = path.split(".")
    return _condition("like_at_path", place, place, like) & _no_email_at(place)


def compared_at_path(path: str, comparison: str, text: str) -> Q:
    """Return the condition for a value at a path: of numbers with a number, else of texts with a text."""
    place, is_number = path.split("."), _DECIMAL.fullmatch(text)
    operand = text if is_number else json.dumps(text)
    match = _condition("compared_at_path", place, f"strict $ ? (@ {comparison} {operand})")
    return match if is_number else match & _no_email_at(place)


def is_at_path(path: str) -> Q:
    """Return the condition for any value at a path, but null."""
    return _condition("is_at_path", path.split("."))


def like(column: str, pattern: str) -> Q:
    """Return the condition for a pattern in a column."""
    return _condition(f"like_{column}", pattern) & _no_email(f"dlq_events.{column}")


def _no_email_at(place: list[str]) -> Q:
    return _no_email("dlq_events.payload #>> %s::text[]", place)


def _no_email(value: str, *values: object) -> Q:
    """Return the condition for a value that holds no e-mail address; for anything where nothing is masked."""
    text = sql("searching.no_email").format(value=f"({value})")
    return Q(RawSQL(text, values, output_field=BooleanField())) if gate.is_masking() else Q()  # noqa: S611


def types_like(pattern: str) -> list[str]:
    """Return the event types that match a pattern."""
    return _whole(fetch_column(sql("searching.types_like"), {"like": pattern}))


def queues_like(pattern: str) -> list[str]:
    """Return the queues of dead letters that match a pattern."""
    return _whole(fetch_column(sql("searching.queues_like"), {"like": pattern}))


def _whole(names: list[str]) -> list[str]:
    """Return the names that a pattern may find: a masked one is for who searches values."""
    return [name for name in names if current_access().searches_values or gate.shown(name) == name]


def in_groups(column: str, text: str = "") -> Q:
    """Return the condition for a failure group whose note, owner or ticket has the text, or has any."""
    within = sql("searching.unmerged") if current_access().is_limited else ""
    rows = fetch_dicts(sql("searching.people").format(column=column, within=within), {"like": _like(text)})
    return Q(group_id__in=[row["id"] for row in rows if contains(text, row["text"])])


def _in_payload(text: str, depth: str) -> Q | None:
    """Return the condition for a whole value so deep in the payload; None if no index knows such a value."""
    if text.startswith(_CONTAINER) or _NEGATIVE.match(text):
        return None
    values = [json.dumps(text)]
    if _NUMBER.fullmatch(text) or text in ("true", "false"):
        values.append(text)
    path = f"$.**{{{depth}}} ? ({' || '.join(f'@ == {value}' for value in values)})"
    return _condition("in_payload", path)


def hides(path: str) -> str:
    """Return the kind of value that is masked at a path of the payload; empty where nothing is."""
    kinds = (gate.masker().keys.kind(name) for name in path.split("."))
    return next((kind for kind in kinds if kind), "") if gate.is_masking() else ""


def contains(text: str, where: str) -> bool:
    """Tell whether another text contains this one, as far as somebody may search it."""
    return text.casefold() in (where if current_access().searches_values else gate.shown(where)).casefold()


def _groups(text: str) -> tuple[int, ...]:
    """Return groups whose sentence contains it. A limited reader may not know a merged group's name."""
    within = sql("searching.unmerged") if current_access().is_limited else ""
    rows = fetch_dicts(sql("searching.groups").format(within=within), {"like": _like(text)})
    return tuple(row["id"] for row in rows if contains(text, row["message"]))


def _types(text: str) -> tuple[str, ...]:
    names = fetch_column(sql("searching.types"), {"like": _like(text)})
    return tuple(name for name in names if contains(text, name))


def _in_reason(text: str) -> Q:
    return _condition("in_reason" if _KNOWN.search(text) else "in_reason_short", _like(text))


def _like(text: str) -> str:
    return f"%{connection.ops.prep_for_like_query(text)}%"


def _condition(name: str, *values: object) -> Q:
    return Q(RawSQL(sql(f"searching.{name}"), values, output_field=BooleanField()))  # noqa: S611
