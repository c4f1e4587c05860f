"""The registry of the kinds of operations: forms, pages and workers look kinds up here.

A further kind is one file beside these, its import and its line below; or declared by a feature; or a call
of ``register``.
"""

from collections.abc import Iterator
from functools import cache

from django.utils import translation
from django.utils.module_loading import import_string
from django.utils.translation import gettext as _

from dlqconsole.features import features
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.operations.items import DEAD_LETTERS, Items
from dlqconsole.operations.kinds.base import Kind
from dlqconsole.operations.kinds.discard import Discard
from dlqconsole.operations.kinds.edit import Edit
from dlqconsole.operations.kinds.export import Export
from dlqconsole.operations.kinds.export_audit import ExportAudit
from dlqconsole.operations.kinds.purge import Purge
from dlqconsole.operations.kinds.purge_queue import PurgeQueue
from dlqconsole.operations.kinds.reclassify import Reclassify
from dlqconsole.operations.kinds.replay import Replay
from dlqconsole.operations.kinds.restore import Restore
from dlqconsole.operations.kinds.retry import Retry
from dlqconsole.operations.kinds.revive import Revive
from dlqconsole.operations.kinds.rules import check_kind
from dlqconsole.operations.kinds.undo import Undo
from dlqconsole.processing.inputs.plain_text import quoted

_KINDS: dict[str, Kind] = {}


def register(kind: Kind) -> Kind:
    """Register a kind; the same class again replaces itself.

    Raises ImproperlyConfigured with a sentence for a kind that cannot work: ``kinds/rules.py`` has the rules.
    """
    check_kind(kind, _KINDS)
    _KINDS[kind.name] = kind
    return kind


def forget(name: str) -> None:
    """Unregister a kind: nobody can request it any more, and no worker goes on with it."""
    _KINDS.pop(name, None)


def every() -> Iterator[Kind]:
    """All kinds, in the order of their registration."""
    yield from _kinds().values()


def names() -> list[str]:
    return list(_kinds())


def get(name: str) -> Kind:
    """The kind of that name. Raises OperationRefused."""
    try:
        return _kinds()[name]
    except KeyError:
        raise OperationRefused(
            _("An operation is one of {names}; not {name}.").format(
                names=", ".join(_KINDS), name=quoted(name)
            )
        ) from None


def shown(name: str) -> Kind:
    """The kind of that name, to show a row; a kind that is gone has its name and nothing else."""
    return _kinds().get(name) or _gone(name)


def asked_for(over: Items = DEAD_LETTERS) -> list[Kind]:
    """The kinds over such items that a person may request directly."""
    return [kind for kind in every() if kind.asked_for and kind.items == over]


def for_standing_rules() -> list[Kind]:
    """The kinds that a standing rule may request, in the order of a bar."""
    return sorted((kind for kind in asked_for() if kind.unattended), key=lambda kind: kind.rank)


def paced() -> list[str]:
    """The names of the kinds that slow down while many items fail again."""
    return [kind.name for kind in every() if kind.follows_pace]


def left_by() -> dict[str, str]:
    """The state in which each kind leaves its items, for kinds with a state of their own."""
    return {kind.name: str(kind.leaves) for kind in every() if kind.leaves}


def did() -> dict[str, str]:
    """The verb of each kind, before "by ann". It goes into rows: it is English."""
    with translation.override("en"):
        return {kind.name: str(kind.past if kind.takes_back else kind.did) for kind in every()}


def _kinds() -> dict[str, Kind]:
    _register_those_of_features()
    return _KINDS


@cache
def _register_those_of_features() -> None:
    # when first asked for: they import the base class, and with it this module
    for path in [path for feature in features() for path in feature.operation_kinds]:
        register(import_string(path)())


def _gone(name: str) -> Kind:
    kind = Kind()
    kind.name = name
    kind.label = kind.title = name.capitalize()
    kind.past = kind.did = name
    return kind


_OURS = (
    Retry,
    Replay,
    Revive,
    Discard,
    Restore,
    Edit,
    Reclassify,
    Export,
    ExportAudit,
    Purge,
    PurgeQueue,
    Undo,
)
for _kind in _OURS:
    register(_kind())
