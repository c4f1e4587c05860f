"""The options of a kind of operation: read from a form, and shown again as they were typed."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings

from dlqconsole.engine.lifecycle.states import Category
from dlqconsole.operations import parameters as kinds
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.operations.models import Kind
from dlqconsole.processing.patching import RECIPE_LIMIT

# which fields a kind's form has beside the reason
_FIELDS: dict[Kind, tuple[str, ...]] = {
    Kind.RETRY: ("rate", "canary"),
    Kind.REVIVE: ("rate", "canary", "queue", "no_order", "undo_seconds"),
    Kind.DISCARD: ("rate",),
    Kind.RESTORE: ("rate",),
    Kind.EDIT: ("rate", "recipe"),
    Kind.RECLASSIFY: ("rate", "category"),
    Kind.EXPORT: ("format", "unmasked"),
    Kind.PURGE: ("rate",),
    Kind.UNDO: ("rate",),
}
_CANARY = {"probes": "canary_probes", "threshold": "canary_threshold", "watch_seconds": "canary_watch"}
_LONGEST = RECIPE_LIMIT
CANARY_ABOVE = 1000  # where trying a few first is offered beside the button


@dataclass(frozen=True, slots=True)
class Options:
    """What was chosen beside kind and scope, as the service takes it."""

    parameters: dict[str, Any] = field(default_factory=dict)
    rate: int | None = None


def read_options(kind: Kind, posted: Mapping[str, Any], undo_seconds: int | None = None) -> Options:
    """Read the form's fields; ``undo_seconds`` where it has none. Raises OperationRefused with a sentence."""
    given: dict[str, Any] = {}
    fields = _FIELDS[kind]
    if "undo_seconds" in fields:
        usual = settings.DLQ_UNDO_SECONDS if undo_seconds is None else undo_seconds
        given["undo_seconds"] = posted.get("undo_seconds", usual)
        given["queue"] = posted.get("queue", "")
        given["keep_order"] = not posted.get("no_order")
    if "canary" in fields:
        given["canary"] = _canary(posted)
    if "unmasked" in fields:
        given["masked"] = not posted.get("unmasked")
    given |= {name: posted.get(name, "") for name in ("recipe", "category", "format") if name in fields}
    return Options(kinds.read(kind, given), _rate(posted.get("rate", "")) if "rate" in fields else None)


def shown_options(kind: Kind, posted: Mapping[str, Any]) -> dict[str, Any]:
    """For the form: ``has``, the fields of this kind, and each field's value as typed, else the usual one."""
    usual = {"undo_seconds": settings.DLQ_UNDO_SECONDS, "format": "csv", **_usual_canary()}
    every = {*_CANARY.values(), *(name for fields in _FIELDS.values() for name in fields)}
    typed = {name: _shown(posted.get(name, usual.get(name, ""))) for name in every}
    has = {name: name in _FIELDS[kind] for name in every}
    return {"has": has, "categories": Category.values, **typed}


def as_fields(parameters: Mapping[str, Any], rate: int | None) -> list[tuple[str, object]]:
    """The options of an operation that was, as a form's fields: what is run again runs the same way."""
    canary = parameters.get("canary") or {}
    fields: list[tuple[str, object]] = [("rate", rate or "")]
    fields += [
        (name, parameters[name])
        for name in ("queue", "undo_seconds", "recipe", "category", "format")
        if name in parameters
    ]
    fields += [(_CANARY[name], value) for name, value in canary.items()]
    switches = {
        "canary": bool(canary),
        "no_order": parameters.get("keep_order") is False,
        "unmasked": parameters.get("masked") is False,
    }
    return [*fields, *((name, "on") for name, is_on in switches.items() if is_on)]


def words(kind: str, options: Options) -> list[str]:
    """The options as sentences for people, those that differ from the usual."""
    rate = [f"{options.rate:,} a second at most"] if options.rate else []
    return [*kinds.words(kind, options.parameters), *rate]


def _canary(posted: Mapping[str, Any]) -> dict[str, Any] | None:
    if not posted.get("canary"):
        return None
    return {name: posted.get(field_name, "") for name, field_name in _CANARY.items()}


def _usual_canary() -> dict[str, int]:
    usual = kinds.read(Kind.RETRY, {"canary": {"probes": ""}})["canary"]
    return {_CANARY[name]: value for name, value in usual.items()}


def _rate(typed: Any) -> int | None:
    text = str(typed or "").strip().replace(",", "")
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise OperationRefused(f"The rate is a whole number of items a second; it is “{text[:40]}”.")
    return kinds.read_rate(int(text))


def _shown(value: Any) -> str:
    return str(value).replace("\x00", "")[:_LONGEST].encode("utf-8", "replace").decode()
