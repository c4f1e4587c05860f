"""What a kind of operation needs beside its scope, as a form or a command line gives it, checked."""

from collections.abc import Callable, Mapping
from typing import Any

from dlqconsole.engine.lifecycle.states import Category
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.operations.models import Kind
from dlqconsole.processing.patching import RecipeRefused, read_recipe

LONGEST_UNDO = 86_400
HIGHEST_RATE = 100_000

type Read = Callable[[Any], Any]


def read(kind: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters as the operation keeps them, with defaults filled in. Raises OperationRefused."""
    known = _KNOWN.get(Kind(kind), {})
    if unknown := sorted(given.keys() - known.keys()):
        raise OperationRefused(f"{Kind(kind).label} has no parameter “{unknown[0]}”.")
    found = {name: reader(given.get(name)) for name, reader in known.items()}
    if found.get("canary") and "undo_seconds" in found:
        found["undo_seconds"] = 0  # what is held back tells nothing: a canary's messages are taken at once
    return found


def read_rate(rate: int | None) -> int | None:
    """Items a second; None is as fast as it goes. Raises OperationRefused."""
    if rate is not None and not 1 <= rate <= HIGHEST_RATE:
        raise OperationRefused(f"The rate lies between 1 and {HIGHEST_RATE:,} a second; it is {rate:,}.")
    return rate


def words(kind: str, parameters: Mapping[str, Any]) -> list[str]:
    """The parameters as sentences for people, those that differ from the usual."""
    found = [_WORDS[name](value) for name, value in parameters.items() if name in _WORDS]
    return [sentence for sentence in found if sentence]


def _queue(value: Any) -> str:
    name = str(value or "").strip()
    if "\x00" in name or len(name) > 47:
        raise OperationRefused("The name of a queue has at most 47 characters.")
    if ":" in name:
        raise OperationRefused(f"“{name}” is a queue of another system; revive to a queue of this database.")
    return name


def _switch(default: bool) -> Read:
    def read_switch(value: Any) -> bool:
        if value is None or value == "":
            return default
        if isinstance(value, bool):
            return value
        raise OperationRefused(f"Say yes or no; it is “{str(value)[:40]}”.")

    return read_switch


def _number(what: str, low: int, high: int, default: int) -> Read:
    def read_number(value: Any) -> int:
        if value is None or value == "":
            return default
        text = str(value).strip()
        if isinstance(value, bool) or not (text.isascii() and text.isdigit() and len(text) < 10):
            raise OperationRefused(f"{what} is a whole number; it is “{text[:40]}”.")
        if not low <= int(text) <= high:
            raise OperationRefused(f"{what} lies between {low:,} and {high:,}; it is {int(text):,}.")
        return int(text)

    return read_number


_CANARY = {
    "probes": _number("The number of probes", 1, 100, 5),
    "threshold": _number("The share that may come back, in percent,", 0, 100, 10),
    "watch_seconds": _number("The time to watch, in seconds,", 1, 3_600, 60),
}


def _canary(value: Any) -> dict[str, int] | None:
    if not value:
        return None
    if not isinstance(value, Mapping) or value.keys() - _CANARY.keys():
        raise OperationRefused(f"A canary has {', '.join(_CANARY)}.")
    return {name: reader(value.get(name)) for name, reader in _CANARY.items()}


def _recipe(value: Any) -> str:
    text = str(value or "").strip()
    if not text:
        raise OperationRefused("An edit needs a recipe: a JSON Patch.")
    try:
        read_recipe(text)
    except RecipeRefused as problem:
        raise OperationRefused(str(problem)) from problem
    return text


def _category(value: Any) -> str:
    name = str(value or "").strip().upper()
    if name and name not in Category.values:
        raise OperationRefused(f"The category is one of {', '.join(Category.values)}; not “{name[:40]}”.")
    return name


def _format(value: Any) -> str:
    name = str(value or "csv").strip().lower()
    if name not in ("csv", "jsonl"):
        raise OperationRefused(f"An export is csv or jsonl; not “{name[:40]}”.")
    return name


_KNOWN: dict[Kind, dict[str, Read]] = {
    Kind.REVIVE: {
        "queue": _queue,
        "keep_order": _switch(True),
        "undo_seconds": _number("The undo window, in seconds,", 0, LONGEST_UNDO, 0),
        "canary": _canary,
    },
    Kind.RETRY: {"canary": _canary},
    Kind.EDIT: {"recipe": _recipe},
    Kind.RECLASSIFY: {"category": _category},
    Kind.EXPORT: {"format": _format, "masked": _switch(True)},
}

_WORDS: dict[str, Callable[[Any], str]] = {
    "queue": lambda name: f"to the queue {name}" if name else "",
    "keep_order": lambda kept: "" if kept else "without the order of their groups",
    "undo_seconds": lambda seconds: f"held back for {seconds:,} s" if seconds else "",
    "canary": lambda canary: _canary_words(canary) if canary else "",
    "recipe": lambda _text: "by a JSON Patch",
    "category": lambda name: f"to {name}" if name else "by the rules",
    "format": lambda name: f"as {name.upper()}",
    "masked": lambda masked: "personal data masked" if masked else "personal data NOT masked",
}


def _canary_words(canary: Mapping[str, int]) -> str:
    return (
        f"{canary['probes']} first, each stage watched for {canary['watch_seconds']} s,"
        f" halting when more than {canary['threshold']} % come back"
    )
