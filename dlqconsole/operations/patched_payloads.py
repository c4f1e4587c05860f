"""A recipe applied to one dead letter after another: what each would become, or why it is refused."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dlqconsole.engine.gate import brings_out
from dlqconsole.engine.handling import registry
from dlqconsole.engine.limits import limits
from dlqconsole.processing import exact_json
from dlqconsole.processing.decoded import OK, SANITISED, Decoded
from dlqconsole.processing.edited_payload import Before, EditRefused, check_edit
from dlqconsole.processing.json_hazards import MAX_DEPTH
from dlqconsole.processing.limits import Limits
from dlqconsole.processing.patching import PatchRefused, Recipe
from dlqconsole.processing.payloads import decode_stored

REASON_LIMIT = 500
BRINGS_OUT = "the recipe would bring what a masked key holds to a key that is not masked"
NOTHING = "the recipe changes nothing in it"


class Refused(Exception):
    """This dead letter is not edited; the sentence says why, and holds nothing of the payload."""


@dataclass(frozen=True, slots=True)
class Patched:
    """What one dead letter holds, and would hold."""

    before: str
    after: Decoded


def patched(row: Mapping[str, Any], recipe: Recipe) -> Patched:
    """Apply the recipe to one row as ``editing.read`` gives it. Raises Refused, whatever the row does."""
    try:
        return _patched(row, recipe)
    except (PatchRefused, EditRefused) as refused:
        raise Refused(" ".join(str(refused).split())[:REASON_LIMIT]) from None
    except Refused:
        raise
    except Exception as error:  # a poison row harms only itself
        raise Refused(f"the recipe could not be applied: {type(error).__name__}") from error


def _patched(row: Mapping[str, Any], recipe: Recipe) -> Patched:
    text = _exact_text(row)
    value = exact_json.loads(text)
    was = exact_json.dumps(value)
    # the recipe changes the value itself; who the event is stands at the top
    before = Decoded(OK, dict(value) if isinstance(value, dict) else value, text)
    after = exact_json.dumps(recipe.apply(value, limits().payload_bytes))
    # only the order of its keys may be another; then no byte is more or less
    if len(after) == len(was) and (after == was or exact_json.canonical(after) == exact_json.canonical(was)):
        raise Refused(NOTHING)
    headers = {} if row["ce_time"] is None else {"ce_time": row["ce_time"]}
    known = Before(before, row["event_type"], row["source"], row["source_key"], headers)
    if brings_out(text, after):
        raise Refused(BRINGS_OUT)
    return Patched(text, check_edit(known, after, registry(), limits()))


def _is_small(text: str, allowed: Limits) -> bool:
    """Whether JSONB's text is within all limits without a closer look."""
    levels = text.count("{") + text.count("[")
    keys = text.count('": ')
    return levels <= MAX_DEPTH and keys <= allowed.payload_keys and len(text) * 4 <= allowed.payload_bytes


def _exact_text(row: Mapping[str, Any]) -> str:
    """The payload where a recipe can keep it exact. Raises Refused."""
    text, raw, allowed = row["text"], row["raw"], limits()
    if raw is None and text and _is_small(text, allowed):
        return str(text)  # what JSONB holds alone is exact; depth and size are all that could be wrong
    found = decode_stored(text, raw, allowed)
    if found.state == SANITISED:
        raise Refused(f"a recipe cannot keep its payload exact: {found.problem}")
    if found.state != OK or found.json_text is None:
        raise Refused(f"its payload cannot be read: {found.problem}")
    return found.json_text
