"""JSON Schema: `jsonschema` decides, `jsonschema_rs` only says yes sooner.

The two are asked in that order of authority: what the fast one accepts is accepted when the schema
is made of keywords on which both agree (a test compares them on thousands of schemas); whatever it
refuses, or cannot read, `jsonschema` judges and words. Formats are not checked, as the standard says.
"""

import json
from ast import literal_eval
from collections.abc import Callable, Iterator
from decimal import Decimal
from itertools import islice
from typing import Any

from .errors import HandlerSetupError, SchemaViolation
from .inputs.sentences import Sentence

MESSAGE_LIMIT = 400
MOST_PROBLEMS = 20

# Left to jsonschema alone: patterns (another dialect of regular expressions), multipleOf (another
# arithmetic), uniqueItems, references by $id or anchor, and every keyword not written here.
_AGREED_ANYWHERE = {"$schema", "$comment", "$ref", "$defs", "definitions", "format", "type", "enum", "const"}
_AGREED_WORDS = {"title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"}
_AGREED_ON_NUMBERS = {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}
_AGREED_ON_TEXT = {"minLength", "maxLength"}
_AGREED_ON_OBJECTS = {"properties", "required", "additionalProperties", "propertyNames"}
_AGREED_ON_SIZES = {"minProperties", "maxProperties", "minItems", "maxItems"}
_AGREED_ON_ARRAYS = {"items", "prefixItems", "contains"}
_AGREED_ON_CHOICES = {"allOf", "anyOf", "oneOf", "not", "if", "then", "else"}
_AGREED = _AGREED_ANYWHERE.union(
    _AGREED_WORDS,
    _AGREED_ON_NUMBERS,
    _AGREED_ON_TEXT,
    _AGREED_ON_OBJECTS,
    _AGREED_ON_SIZES,
    _AGREED_ON_ARRAYS,
    _AGREED_ON_CHOICES,
)
_HOLD_SCHEMAS = frozenset({"properties", "$defs", "definitions"})
_HOLD_VALUES = frozenset({"enum", "const", "default", "examples", "required", "type"})


class Schema:
    """A compiled schema, Draft 2020-12 unless `$schema` says draft-07.

    Raises HandlerSetupError when it is no valid schema or refers to something outside itself.
    """

    def __init__(self, schema: dict[str, Any] | bool) -> None:
        self._truth = _compile(schema)
        self._says_yes = _fast_validator(schema) if _is_agreed(schema) else None

    def check(self, value: Any) -> None:
        """Raise SchemaViolation, whose message begins with the path of the value that does not fit."""
        if self._says_yes is not None and self._fits_surely(value):
            return
        error = self._first_error(value)
        if error is not None:
            raise SchemaViolation(_sentence(error))

    def problems(self, value: Any) -> list[tuple[str, str]]:
        """Everything that does not fit: the JSON Pointer of the value, and a sentence; at most 20."""
        if self._says_yes is not None and self._fits_surely(value):
            return []
        try:
            errors = list(islice(self._truth.iter_errors(value), MOST_PROBLEMS))
        except TypeError:  # Decimal meets float, in multipleOf
            errors = list(islice(self._truth.iter_errors(_with_floats(value)), MOST_PROBLEMS))
        return [(_pointer(error), _verdict(error)) for error in errors]

    def _fits_surely(self, value: Any) -> bool:
        assert self._says_yes is not None  # noqa: S101  (for the type checker; check() asked)
        try:
            return self._says_yes(value) and not _holds_decimals(value)
        except (ArithmeticError, TypeError, ValueError):  # it cannot read this value: no verdict
            return False

    def _first_error(self, value: Any) -> Any:
        from jsonschema.exceptions import best_match

        try:
            return best_match(self._truth.iter_errors(value))
        except TypeError:  # Decimal meets float, in multipleOf
            return best_match(self._truth.iter_errors(_with_floats(value)))


def _compile(schema: Any) -> Any:
    import jsonschema
    from jsonschema.validators import validator_for
    from referencing import Registry
    from referencing.jsonschema import EMPTY_REGISTRY

    kinds = (jsonschema.Draft202012Validator, jsonschema.Draft7Validator)
    kind = validator_for(schema, default=jsonschema.Draft202012Validator)
    dialect = schema.get("$schema") if isinstance(schema, dict) else None
    if kind not in kinds or (dialect and dialect.rstrip("#") != kind.META_SCHEMA["$schema"].rstrip("#")):
        raise HandlerSetupError(f"$schema {dialect!r} is neither Draft 2020-12 nor draft-07")
    try:
        kind.check_schema(schema)
    except jsonschema.SchemaError as error:
        raise HandlerSetupError(f"not a valid JSON Schema: {_sentence(error)}") from None
    # An empty registry: a reference must never make a worker fetch something from the network.
    registry: Registry[Any] = EMPTY_REGISTRY
    validator = kind(schema, registry=registry)
    _refuse_lost_references(schema, validator)
    return validator


def _refuse_lost_references(schema: Any, validator: Any) -> None:
    for reference in _references(schema):
        try:
            validator._resolver.lookup(reference)
        except Exception:
            raise HandlerSetupError(
                f"the schema refers to {reference!r}, which is not inside the schema itself"
            ) from None


def _subschemas(schema: Any) -> Iterator[dict[str, Any]]:
    """Every object of a schema that is itself a schema, as far as we know the keywords."""
    if isinstance(schema, list):
        for item in schema:
            yield from _subschemas(item)
    if not isinstance(schema, dict):
        return
    yield schema
    for keyword, value in schema.items():
        if keyword in _HOLD_SCHEMAS and isinstance(value, dict):
            yield from _subschemas(list(value.values()))
        elif keyword not in _HOLD_VALUES:
            yield from _subschemas(value)


def _references(schema: Any) -> list[str]:
    return [part["$ref"] for part in _subschemas(schema) if isinstance(part.get("$ref"), str)]


def _is_agreed(schema: Any) -> bool:
    return all(part.keys() <= _AGREED for part in _subschemas(schema))


def _fast_validator(schema: Any) -> Callable[[Any], bool] | None:
    import jsonschema_rs

    draft7 = isinstance(schema, dict) and "draft-07" in str(schema.get("$schema"))
    kind = jsonschema_rs.Draft7Validator if draft7 else jsonschema_rs.Draft202012Validator
    try:
        return kind(schema, validate_formats=False).is_valid
    except Exception:  # it reads fewer schemas than jsonschema, which has accepted this one
        return None


def _sentence(error: Any) -> str:
    path = ".".join(str(step) for step in error.absolute_path) or "data"
    return f"{path[:MESSAGE_LIMIT]}: {_verdict(error)}"


def _verdict(error: Any) -> str:
    """The objection in JSON's words, not in Python's: ``null is not a number``."""
    message = _WORDS.get(error.validator, _in_json)(error)
    if len(message) > MESSAGE_LIMIT:  # the value comes first and may be a megabyte; keep the verdict
        half = MESSAGE_LIMIT // 2
        message = f"{message[:half]} … {message[-half:]}"
    return message


def _in_json(error: Any) -> str:
    message, value = str(error.message), repr(error.instance)
    return _json(error.instance) + message[len(value) :] if message.startswith(value) else message


def _wrong_type(error: Any) -> str:
    wanted = error.validator_value
    names = [_TYPES.get(name, name) for name in ([wanted] if isinstance(wanted, str) else wanted)]
    return Sentence("{value} is not {type}", value=_json(error.instance), type=_either(names))


def _either(names: list[str]) -> str:
    return names[0] if len(names) == 1 else " or ".join(names)


def _missing(error: Any) -> str:
    name, is_said, _ = str(error.message).partition(" is a required property")
    return Sentence("{name} is missing", name=_json(literal_eval(name))) if is_said else str(error.message)


def _not_among(error: Any) -> str:
    names = ", ".join(map(_json, error.validator_value))
    return Sentence("{value} is not one of {names}", value=_json(error.instance), names=names)


def _not_equal(error: Any) -> str:
    return Sentence("{value} is not {other}", value=_json(error.instance), other=_json(error.validator_value))


_WORDS: dict[str, Callable[[Any], str]] = {
    "type": _wrong_type, "required": _missing, "enum": _not_among, "const": _not_equal,
}  # fmt: skip
_TYPES = {
    "array": Sentence("an array"), "boolean": Sentence("true or false"), "integer": Sentence("an integer"),
    "number": Sentence("a number"), "object": Sentence("an object"), "string": Sentence("a string"),
}  # fmt: skip


def _json(value: Any) -> str:
    """JSON text of a value; a number keeps its digits."""
    if isinstance(value, Decimal):
        return format(value, "f")
    return json.dumps(value, ensure_ascii=False, default=str)


def _pointer(error: Any) -> str:
    steps = (str(step).replace("~", "~0").replace("/", "~1") for step in error.absolute_path)
    return "".join(f"/{step}" for step in steps)[:MESSAGE_LIMIT]


def _holds_decimals(value: Any) -> bool:
    """Decimals are no integers to jsonschema, whatever their value; the fast one looks at the value."""
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, list):
        return isinstance(value, Decimal)
    kinds = set(map(type, value))
    if Decimal in kinds:
        return True
    return (dict in kinds or list in kinds) and any(map(_holds_decimals, value))


def _with_floats(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _with_floats(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_with_floats(item) for item in value]
    return float(value) if isinstance(value, Decimal) else value
