"""The declaration of a feature."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Link:
    """An entry of the navigation. ``address`` names its page; ``own``: how the names of its pages begin."""

    address: str
    label: str
    own: str


@dataclass(frozen=True, slots=True)
class FilterLink:
    """A button above the list, for operators: it hands the list's filter to a page, as ``?filter=``."""

    address: str
    label: str


@dataclass(frozen=True, slots=True)
class Card:
    """A part of somebody else's page. ``actions``, things to do next, have ``text``, ``url`` and ``tone``."""

    template: str
    context: Mapping[str, Any]
    actions: Iterable[Mapping[str, str]] = ()


@dataclass(frozen=True, slots=True)
class ArgumentLookup:
    """An argument of addresses. ``visible``: whether who asks sees some of it, and all of it.

    ``missing``: the sentence for what is not there, with ``{}`` for the argument's value.
    """

    argument: str
    visible: str
    missing: str


@dataclass(frozen=True, slots=True)
class Tick:
    """A task of Celery that only looks at the clock: every so many seconds."""

    about: str
    task: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Feature:
    """The places where a feature plugs in. All functions are dotted paths.

    ``cards``: by place ("group", "overview"), a function of the request and the place's own arguments that
    returns a Card, or None. ``actor_address``: of an actor, the address of its page; empty if who asks does
    not see it. ``audit_subject``: what the audit page's choice calls it, and which nouns belong to it;
    ``audit_words``: by noun and action, a function of an entry's detail.
    """

    name: str
    addresses: str = ""
    navigation: Link | None = None
    filter_link: FilterLink | None = None
    cards: Mapping[str, str] = field(default_factory=dict)
    lookups: tuple[ArgumentLookup, ...] = ()
    actor_address: str = ""
    audit_subject: tuple[str, tuple[str, ...]] | None = None
    audit_words: str = ""
    ticks: tuple[Tick, ...] = ()
