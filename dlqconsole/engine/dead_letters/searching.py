"""What a searched text means: failure groups that say it, event types, ids; and for who operates, values.

Who may only look searches event types, whole keys and ids, and the sentences of failure groups: these have
their variable parts taken out, and are masked here as on every page. Who operates (``reach.searches_values``)
searches in reasons and payloads, too. Each of these has an index.
"""

import json
import re
from dataclasses import dataclass

from django.db import connection
from django.db.models import BooleanField, Q
from django.db.models.expressions import RawSQL

from dlqconsole.engine import gate
from dlqconsole.engine.dead_letters import payload_indexes
from dlqconsole.engine.named_sql import fetch_column, fetch_dicts
from dlqconsole.engine.reach import Reach
from dlqconsole.engine.sql import sql
from dlqconsole.processing.inputs.numbers import as_id

# as jsonpath writes it; of a negative one no index knows
_NUMBER = re.compile(r"(?:0|[1-9][0-9]*)(?:\.[0-9]+)?")
# what the index of reasons knows; a shorter piece of a word it does not
_KNOWN = re.compile(r"[^\W_]{3}")
# how deep the search box looks into payloads: one of a hundred thousand levels must not harm a search
DEEPEST = 8
_NEGATIVE, _CONTAINER = re.compile(r"-[0-9]"), ("{", "[")


@dataclass(frozen=True, slots=True)
class Meaning:
    """Which dead letters a text means: those of groups and event types, whose counts are kept, and others.

    ``others``: a condition that has to be asked of the dead letters; None: there are none.
    """

    groups: tuple[int, ...] = ()
    types: tuple[str, ...] = ()
    others: Q | None = None

    @property
    def named(self) -> Q:
        """Those whose group or event type says it."""
        return Q(group_id__in=self.groups) | Q(event_type__in=self.types)

    @property
    def condition(self) -> Q:
        """All of them."""
        return self.named if self.others is None else self.named | self.others


def reason(text: str, reach: Reach) -> Meaning:
    """Whose reason contains the text."""
    return Meaning(_groups(text, reach), others=_in_reason(text) if reach.searches_values else None)


def anything(text: str, reach: Reach) -> Meaning:
    """What has the text as an id or a key, in its event type or reason, or as a value of its payload."""
    others = _condition("id", text)
    if (number := as_id(text)) is not None:
        others |= Q(pk=number)
    if reach.searches_values:
        others |= _in_reason(text)
        if payload_indexes.has_values():
            others |= _in_payload(text, f"0 to {DEEPEST}") or Q()
    return Meaning(_groups(text, reach), _types(text, reach), others)


def by_id(text: str) -> Q:
    """What the text is the number, an id or the key of: found however busy the machine is."""
    number = as_id(text)
    return _condition("id", text) if number is None else _condition("id", text) | Q(pk=number)


def at_path(path: str, text: str) -> Q:
    """Whose payload has the text at a dotted path. Either index of payloads answers it, if there is one."""
    place = path.split(".")
    found = _condition("at_path", place, text, place, text)
    # without its index it costs more than all the rest
    return found & (_in_payload(text, str(len(place))) or Q()) if payload_indexes.has_values() else found


def _in_payload(text: str, depth: str) -> Q | None:
    """Whose payload has this value so deep in it, as a whole; None for what no index of values knows."""
    if text.startswith(_CONTAINER) or _NEGATIVE.match(text):
        return None
    values = [json.dumps(text)]
    if _NUMBER.fullmatch(text) or text in ("true", "false"):
        values.append(text)
    path = f"$.**{{{depth}}} ? ({' || '.join(f'@ == {value}' for value in values)})"
    return _condition("in_payload", path)


def hides(path: str) -> str:
    """The kind of thing that stands at a path into the payload; empty where everybody may see it."""
    kinds = (gate.masker().keys.kind(name) for name in path.split("."))
    return next((kind for kind in kinds if kind), "") if gate.is_masking() else ""


def contains(text: str, where: str, reach: Reach) -> bool:
    """Whether a text that is elsewhere contains this, as far as somebody may search it."""
    return text.casefold() in (where if reach.searches_values else gate.shown(where)).casefold()


def _groups(text: str, reach: Reach) -> tuple[int, ...]:
    """Those whose sentence contains it. Of a merged one who is limited may not know the name."""
    within = sql("searching.unmerged") if reach.is_limited else ""
    rows = fetch_dicts(sql("searching.groups").format(within=within), {"like": _like(text)})
    return tuple(row["id"] for row in rows if contains(text, row["message"], reach))


def _types(text: str, reach: Reach) -> tuple[str, ...]:
    found = fetch_column(sql("searching.types"), {"like": _like(text)})
    return tuple(name for name in found if contains(text, name, reach))


def _in_reason(text: str) -> Q:
    return _condition("in_reason" if _KNOWN.search(text) else "in_reason_short", _like(text))


def _like(text: str) -> str:
    return f"%{connection.ops.prep_for_like_query(text)}%"


def _condition(name: str, *values: object) -> Q:
    return Q(RawSQL(sql(f"searching.{name}"), values, output_field=BooleanField()))  # noqa: S611
