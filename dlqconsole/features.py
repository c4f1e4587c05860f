"""The features of contrib: each app declares in its ``feature.py`` where it plugs in, and the rest asks here.

A feature is present by its line in ``configuration/installed_apps.py``; nothing else names it. A declaration
is plain data: it names functions by their dotted paths, so that who reads it (Celery, Spark) imports no page
and no model.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from dlqconsole.configuration.installed_apps import FEATURES
from dlqconsole.core.sql import sql
from dlqconsole.core.successes import Keeper


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
class OtherPlace:
    """Another place than the list where dead letters lie. Three functions, as dotted paths.

    ``visible``: of a number, whether it lies there and is seen. ``page`` and ``payload``: of a
    request and a number, its page, and its bytes with whether they are JSON; None: it does not lie there.
    Each raises Http404 with a sentence where that cannot be told.
    """

    visible: str
    page: str
    payload: str


@dataclass(frozen=True, slots=True)
class Tick:
    """A function that is called every so many seconds, as the task of that name, and finds what is due.

    ``is_quick``: it never waits behind an operation, and no quick tick waits for it.
    """

    about: str
    task: str
    function: str
    seconds: float
    is_quick: bool = True


@dataclass(frozen=True, slots=True)
class Right:
    """A right: ``verb`` on a table or view, on these columns or on all of it."""

    verb: str
    table: str
    columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Feature:
    """The places where a feature plugs in. All functions are dotted paths.

    ``cards``: by place ("audit", "chart", "confirm", "dead letter", "dead letter copies", "empty list",
    "group", "group payloads", "list", "overview", "overview counts", "receipt", "reports", "what failed"), a
    function of the request and the place's own arguments that returns a Card, or None. ``actor_address``: of
    an actor, the address of its page; empty if who asks does not see it. ``audit_subject``: what the audit
    page's choice calls it, and which nouns belong to it; ``audit_words``: by noun and action, a function of
    an entry's detail.
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
    # by the name of a page, the console's page whose entry of the navigation is marked on it
    sections: Mapping[str, str] = field(default_factory=dict)
    # makes a ``core.successes.Keeper`` of the settings: it is asked whenever successes are recorded. It reads
    # them when asked. It travels to Spark's workers, so it can be pickled, and needs no Django
    success_keeper: str = ""
    # the query set of the inputs that it has kept of successes: event_type, source, source_key, payload,
    # payload_raw, masked and sampled_at
    successful_inputs: str = ""
    # SQL that deletes what it holds of dead letters that go for ever: those in ``purged``, which has id,
    # source, source_key and group_id
    forgetting: tuple[str, ...] = ()
    # by role of the database, its rights on the feature's tables; "app" has all of them unless one is named
    rights: Mapping[str, tuple[Right, ...]] = field(default_factory=dict)
    # by role of the database, the feature's functions that it may call
    functions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    # classes of ``operations.kinds.base.Kind``
    operation_kinds: tuple[str, ...] = ()
    # classes of ``runs.jobs.base.Job``; the process of one is ``job/command.py`` in the feature's folder
    jobs: tuple[str, ...] = ()
    # rows of the filter: ``engine.dead_letters.filter_parts.FilterPart``
    filter_parts: tuple[str, ...] = ()
    # an option of retry, revive and replay: only what went well in the operation that it names by number
    passed_option: str = ""
    # a function that yields figures about the whole database, for Prometheus
    metrics: str = ""
    # a function that yields sentences for /healthz: strangers read them
    health: str = ""
    other_place: OtherPlace | None = None


@cache
def features() -> tuple[Feature, ...]:
    """Those in FEATURES, in its order."""
    return tuple(
        import_module(f"{name}.feature").FEATURE for name in FEATURES if find_spec(f"{name}.feature")
    )


def named(path: str) -> Any:
    """Return what a dotted path names."""
    module, _, name = path.rpartition(".")
    return getattr(import_module(module), name)


def all_about() -> str:
    """Return the parts for ``purged`` rows: the core's, then each feature's. See ``forgetting.sql``."""
    deletions = [text for feature in features() for text in feature.forgetting]
    parts = [f"of_feature_{number} AS (\n    {text}\n)" for number, text in enumerate(deletions, 1)]
    return ", ".join([sql("forgetting.all_about"), *parts])


def success_keepers(settings: Any) -> tuple[Keeper, ...]:
    """Make the keepers of this installation. ``settings``: Django's, or the pipeline's environment."""
    return tuple(named(path)(settings) for feature in features() if (path := feature.success_keeper))


def successful_inputs() -> Any:
    """Return the query set of inputs that a feature has kept; None: no feature does."""
    paths = (feature.successful_inputs for feature in features() if feature.successful_inputs)
    path = next(paths, "")
    return named(path)() if path else None
