"""Recipes: a JSON Patch (RFC 6902) that changes many payloads in the same way.

The library `jsonpatch` does the patching, over values whose numbers keep all their digits.
"""

from dataclasses import dataclass
from typing import Any

import jsonpatch
from jsonpointer import JsonPointer, JsonPointerException

from dlqconsole.processing.inputs.sentences import Sentence
from dlqconsole.processing.strict_json import OK

from . import exact_json
from .inputs.plain_text import quoted
from .json_hazards import MAX_DEPTH
from .limits import MEBIBYTE
from .payloads import decode

RECIPE_LIMIT = 64 * 1024
MOST_OPERATIONS = 100
_NAMES = ("add", "remove", "replace", "move", "copy", "test")


class RecipeRefused(Exception):
    """A recipe that cannot be understood; the sentence names the operation."""


class PatchRefused(Exception):
    """A payload that the recipe does not fit; the sentence says which operation, and never a value."""


@dataclass(frozen=True, slots=True)
class _Step:
    """One operation. ``grows``: it may double the document, so that a hundred of them would burst memory."""

    name: str
    patch: jsonpatch.JsonPatch
    path: str
    origin: str
    grows: bool


@dataclass(frozen=True, slots=True)
class Recipe:
    """A recipe that was understood."""

    text: str
    steps: tuple[_Step, ...]

    def apply(self, value: Any, longest: int = MEBIBYTE) -> Any:
        """Return an exactly read payload after all operations; the one given may change. PatchRefused.

        No copy may make more of it than about ``longest`` bytes.
        """
        for step in self.steps:
            try:
                value = step.patch.apply(value, in_place=True)
            except (jsonpatch.JsonPatchException, JsonPointerException) as error:
                raise PatchRefused(f"{step.name}: {_why(step, error)}") from None
            if step.grows:
                _refuse_growth(step.name, value, longest)
        return value


def read_recipe(text: str) -> Recipe:
    """Understand a recipe. Raises RecipeRefused."""
    if len(text.encode("utf-8", "surrogatepass")) > RECIPE_LIMIT:
        raise RecipeRefused(
            Sentence("The recipe is longer than {recipe_limit} KB.", recipe_limit=RECIPE_LIMIT // 1024)
        )
    document = decode(text)
    if document.state != OK or document.json_text is None:
        raise RecipeRefused(
            Sentence("The recipe is not JSON as it should be: {problem}.", problem=document.problem)
        )
    operations = exact_json.loads(document.json_text)
    if not isinstance(operations, list) or not operations:
        raise RecipeRefused(
            Sentence('A recipe is a list of operations: [{"op": "replace", "path": …, "value": …}].')
        )
    if len(operations) > MOST_OPERATIONS:
        raise RecipeRefused(
            Sentence(
                "The recipe has {operations:,} operations, more than {most_operations}.",
                operations=len(operations),
                most_operations=MOST_OPERATIONS,
            )
        )
    return Recipe(text, tuple(_step(number, each) for number, each in enumerate(operations, 1)))


def _step(number: int, operation: Any) -> _Step:
    if not isinstance(operation, dict):
        raise RecipeRefused(Sentence("Operation {number} is not an object.", number=number))
    kind, path = operation.get("op"), operation.get("path")
    if kind not in _NAMES:
        raise RecipeRefused(
            Sentence(
                "Operation {number}: op is one of {names}, not {kind}.",
                number=number,
                names=", ".join(_NAMES),
                kind=_quote(kind),
            )
        )
    name = Sentence("operation {number} ({kind} {path})", number=number, kind=kind, path=_quote(path))
    if kind == "remove" and path == "":
        raise RecipeRefused(
            Sentence("Operation {number}: the whole payload cannot be removed.", number=number)
        )
    if kind in ("add", "replace", "test") and "value" not in operation:
        raise RecipeRefused(f"{name[0].upper()}{name[1:]}: it has no value.")
    if kind in ("move", "copy") and not isinstance(operation.get("from"), str):
        raise RecipeRefused(f"{name[0].upper()}{name[1:]}: it has no from.")
    try:
        patch = jsonpatch.JsonPatch([operation])
        JsonPointer(str(operation.get("from", "")))
    except (jsonpatch.JsonPatchException, JsonPointerException) as error:
        raise RecipeRefused(f"{name[0].upper()}{name[1:]}: {_plain(error)}.") from None
    return _Step(name, patch, str(path), str(operation.get("from", "")), kind == "copy")


def _why(step: _Step, error: Exception) -> str:
    if isinstance(error, jsonpatch.JsonPatchTestFailed):
        return Sentence("the test failed: another value is there, or none")
    if isinstance(error, jsonpatch.JsonPatchPathNotFound):
        return Sentence("there is nothing at {path}", path=_quote(step.origin or step.path))
    return _plain(error)


def _plain(error: Exception) -> str:
    return " ".join(str(error).split()).rstrip(".")[:200]


def _refuse_growth(name: str, value: Any, longest: int) -> None:
    """Stop a document that copies of itself blow up, before the next one doubles it."""
    weight, depth, level = 0, 0, [value]
    while level:
        depth += 1
        below: list[Any] = []
        for each in level:
            weight += len(each) + 1 if isinstance(each, (str, dict, list)) else 1
            if isinstance(each, dict):
                weight += sum(map(len, each))
                below += each.values()
            elif isinstance(each, list):
                below += each
        if weight > longest or depth > MAX_DEPTH + 1:
            raise PatchRefused(Sentence("{name}: the payload would grow too large or too deep", name=name))
        level = below


def _quote(value: Any) -> str:
    text = value if isinstance(value, str) else exact_json.dumps(value)
    return quoted(text, 120)
