"""A finding for people: in words, masked, and as a filter of the list where one exists."""

from dataclasses import dataclass
from typing import Any

import orjson
from django.utils.translation import gettext as _

from dlqconsole.contrib.insight.statistics.common_ground import (
    ABSENT,
    BELOW,
    FROM,
    PRESENT,
    TYPE,
    VALUE,
    SharedTrait,
)
from dlqconsole.contrib.insight.statistics.payload_paths import ELEMENT, Path, words
from dlqconsole.core.errors import InvalidFilter
from dlqconsole.engine import gate
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.dead_letters.language.reading import PAYLOAD_PREFIX
from dlqconsole.hosting.wording import gettext_lazy

_TYPE_WORDS = {
    "text": gettext_lazy("is text"),
    "number": gettext_lazy("is a number"),
    "boolean": gettext_lazy("is true or false"),
    "null": gettext_lazy("is null"),
    "list": gettext_lazy("is a list"),
    "object": gettext_lazy("is an object"),
}


@dataclass(frozen=True, slots=True)
class TraitWords:
    """A finding in words: ``says`` follows the path: "is MQ". ``filter``: the list's query string, or ""."""

    path: str
    says: str
    failures: int
    share: float
    successes: int
    usual_share: float
    lift: float
    chance: float
    filter: str = ""


def shown(finding: SharedTrait) -> TraitWords | None:
    """Return a finding in words; None where it is masked and would say nothing."""
    trait = finding.trait
    path = words(trait.path)
    if gate.shown(path) != path or (_has_value(finding) and hides(trait.path, trait.what)):
        return None
    return TraitWords(
        path=path,
        says=_says(trait.kind, trait.what),
        failures=finding.failures,
        share=finding.share,
        successes=finding.successes,
        usual_share=finding.usual_share,
        lift=finding.lift,
        chance=finding.chance,
        filter=value_filter(trait.path, trait.what) if trait.kind == VALUE else "",
    )


def hides(path: Path, value: Any) -> bool:
    """Tell whether a value is masked at its path."""
    document = value
    for name in reversed(path):
        document = [document] if name == ELEMENT else {name: document}
    text = orjson.dumps(document).decode()
    return gate.shown_json(text) != text


def _has_value(finding: SharedTrait) -> bool:
    return finding.trait.kind not in (PRESENT, ABSENT, TYPE)


def _says(kind: str, what: Any) -> str:
    if kind in (PRESENT, ABSENT):
        return _("is there") if kind == PRESENT else _("is missing")
    if kind == TYPE:
        return _TYPE_WORDS[what]
    if kind in (BELOW, FROM):
        return (
            _("is less than {what:,}").format(what=what)
            if kind == BELOW
            else _("is {what:,} or more").format(what=what)
        )
    return (
        _("is {decode}").format(decode=orjson.dumps(what).decode())
        if not isinstance(what, str) or not what.strip()
        else _("is {what}").format(what=what)
    )


def value_filter(path: Path, value: Any) -> str:
    """The filter for such values; empty unless the filter's text means exactly this value."""
    text = orjson.dumps(value).decode() if isinstance(value, bool | int) else value
    if (
        not isinstance(text, str)
        or text != text.strip()
        or any("." in name or name == ELEMENT for name in path)
    ):
        return ""
    parameters = {PAYLOAD_PREFIX + ".".join(path): text}
    try:
        parsed = DeadLetterFilter.parse(parameters)
    except InvalidFilter:
        return ""
    return parsed.querystring if parsed.facets() == parameters else ""
