"""A recipe applied to one dead letter after another: each one's new payload, or the reason of its refusal."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dlqconsole.core.handling import registry
from dlqconsole.core.settings import limits
from dlqconsole.engine.gate import brings_out
from dlqconsole.processing import exact_json
from dlqconsole.processing.edits import Before, EditRefused, check_edit
from dlqconsole.processing.json_hazards import MAX_DEPTH
from dlqconsole.processing.limits import Limits
from dlqconsole.processing.patching import PatchRefused, Recipe
from dlqconsole.processing.payloads import decode_stored
from dlqconsole.processing.strict_json import OK, SANITISED, Decoded

REASON_LIMIT = 500
BRINGS_OUT = "the recipe would bring what a masked key holds to a key that is not masked"
NOTHING = "the recipe changes nothing in it"


class PayloadRefused(Exception):
    """This dead letter is not edited; the sentence says why, and contains nothing of the payload."""


@dataclass(frozen=True, slots=True)
class PatchedPayload:
    """The payload of one dead letter before and after the recipe."""

    before: str
    after: Decoded


def patch_payload(row: Mapping[str, Any], recipe: Recipe) -> PatchedPayload:
    """Apply the recipe to one row as ``editing.read`` gives it. Raises PayloadRefused for any failure."""
    try:
        return _patch(row, recipe)
    except (PatchRefused, EditRefused) as refusal:
        raise PayloadRefused(" ".join(str(refusal).split())[:REASON_LIMIT]) from None
    except PayloadRefused:
        raise
    except Exception as error:  # a poison row harms only itself
        raise PayloadRefused(f"the recipe could not be applied: {type(error).__name__}") from error


def _patch(row: Mapping[str, Any], recipe: Recipe) -> PatchedPayload:
    text = _exact_text(row)
    value = exact_json.loads(text)
    was = exact_json.dumps(value)
    # the recipe changes the value itself; the event's identity stands at the top
    before = Decoded(OK, dict(value) if isinstance(value, dict) else value, text)
    after = exact_json.dumps(recipe.apply(value, limits().payload_bytes))
    # only the order of its keys may differ; then the length is the same
    if len(after) == len(was) and (after == was or exact_json.canonical(after) == exact_json.canonical(was)):
        raise PayloadRefused(NOTHING)
    headers = {} if row["ce_time"] is None else {"ce_time": row["ce_time"]}
    event = Before(before, row["event_type"], row["source"], row["source_key"], headers)
    if brings_out(text, after):
        raise PayloadRefused(BRINGS_OUT)
    return PatchedPayload(text, check_edit(event, after, registry(), limits()))


def _is_small(text: str, bounds: Limits) -> bool:
    """Tell whether a text of JSONB is surely within all limits."""
    levels = text.count("{") + text.count("[")
    keys = text.count('": ')
    return levels <= MAX_DEPTH and keys <= bounds.payload_keys and len(text) * 4 <= bounds.payload_bytes


def _exact_text(row: Mapping[str, Any]) -> str:
    """The payload, if a recipe can keep it exact. Raises PayloadRefused."""
    text, raw, bounds = row["text"], row["raw"], limits()
    if raw is None and text and _is_small(text, bounds):
        return str(text)  # a text of JSONB is exact; only depth and size could be wrong
    payload = decode_stored(text, raw, bounds)
    if payload.state == SANITISED:
        raise PayloadRefused(f"a recipe cannot keep its payload exact: {payload.problem}")
    if payload.state != OK or payload.json_text is None:
        raise PayloadRefused(f"its payload cannot be read: {payload.problem}")
    return payload.json_text
