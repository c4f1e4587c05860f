"""jsonschema decides; the fast validator may only agree."""

from decimal import Decimal

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dlqconsole.processing import HandlerSetupError, SchemaViolation
from dlqconsole.processing.schemas import Schema
from tests.sizes import sized

ORDER = {
    "type": "object",
    "required": ["total"],
    "properties": {"total": {"type": "number"}, "lines": {"type": "array", "items": {"type": "object"}}},
}
NUMBERS = st.one_of(
    st.integers(-3, 3),
    st.integers(2**53 - 2, 2**53 + 2),
    st.integers(2**63 - 2, 2**65),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([0.0, -0.0, 1.0, 2.0**53, 1e300, Decimal("1.5"), Decimal("1"), Decimal(2**53 + 1)]),
)
NAMES = st.sampled_from(["a", "b", "c"])
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), NUMBERS, st.sampled_from(["", "a", "é", "🎉ab", "\ud800"])),
    lambda items: st.one_of(st.lists(items, max_size=3), st.dictionaries(NAMES, items, max_size=3)),
    max_leaves=6,
)
TYPES = st.sampled_from(["null", "boolean", "integer", "number", "string", "array", "object"])
SIZES = st.integers(0, 3)
LEAVES = st.fixed_dictionaries(
    {},
    optional={
        "type": st.one_of(TYPES, st.lists(TYPES, unique=True, min_size=1, max_size=3)),
        "enum": st.lists(VALUES, min_size=1, max_size=3),
        "const": VALUES,
        "format": st.just("email"),
        "pattern": st.sampled_from(["^a$", "\\d", "\\S", "^\\w+$", "[^a]"]),
        "multipleOf": st.sampled_from([1, 0.1, 3]),
        "uniqueItems": st.booleans(),
        **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), NUMBERS),
        **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems"), SIZES),
        **dict.fromkeys(("minProperties", "maxProperties"), SIZES),
    },
)


def _with_parts(parts):
    several = st.lists(parts, min_size=1, max_size=2)
    one = dict.fromkeys(("additionalProperties", "propertyNames", "items", "contains"), parts)
    logic = dict.fromkeys(("not", "if", "then", "else"), parts)
    many = dict.fromkeys(("allOf", "anyOf", "oneOf", "prefixItems"), several)
    named = {
        "properties": st.dictionaries(NAMES, parts, max_size=2),
        "required": st.lists(NAMES, unique=True),
    }
    return st.fixed_dictionaries({}, optional={**one, **logic, **many, **named})


SCHEMAS = st.recursive(st.one_of(st.booleans(), LEAVES), _with_parts, max_leaves=5)
DRAFTS = {
    "http://json-schema.org/draft-07/schema#": jsonschema.Draft7Validator,
    "https://json-schema.org/draft/2020-12/schema": jsonschema.Draft202012Validator,
}


def truth(validator, value):
    try:
        return validator.is_valid(value)
    except (TypeError, ArithmeticError):  # Decimal meets float: jsonschema itself has no answer
        return None


@pytest.mark.sized
@given(SCHEMAS, VALUES, st.sampled_from(sorted(DRAFTS)))
@settings(max_examples=sized(150, 400), suppress_health_check=list(HealthCheck))
def test_the_verdict_is_always_jsonschemas(schema, value, draft):
    if isinstance(schema, dict):
        schema = {"$schema": draft, **schema}
    expected = truth(
        DRAFTS[draft](schema) if isinstance(schema, dict) else jsonschema.Draft202012Validator(schema), value
    )
    if expected is None:
        return
    try:
        Schema(schema).check(value)
    except SchemaViolation:
        assert not expected
    else:
        assert expected


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ({"total": None}, "total: null is not a number"),
        ({}, 'data: "total" is missing'),
        ({"total": 1, "lines": [{}, 5]}, "lines.1: 5 is not an object"),
        ([], "data: [] is not an object"),
    ],
)
def test_the_sentence_begins_with_the_path_and_the_value(data, sentence):
    with pytest.raises(SchemaViolation) as caught:
        Schema(ORDER).check(data)
    assert str(caught.value) == sentence


@pytest.mark.parametrize(
    ("schema", "value", "sentence"),
    [
        ({"type": ["string", "null"]}, True, "true is not a string or null"),
        ({"enum": ["a", None]}, False, 'false is not one of "a", null'),
        ({"const": {"a": None}}, {"a": 1}, '{"a": 1} is not {"a": null}'),
        ({"minimum": 2}, Decimal("1.10"), "1.10 is less than the minimum of 2"),
        ({"maxLength": 1}, "no", '"no" is too long'),
    ],
)
def test_values_are_json_and_not_python(schema, value, sentence):
    assert Schema(schema).problems(value) == [("", sentence)]


def test_a_huge_value_does_not_make_a_huge_sentence():
    with pytest.raises(SchemaViolation) as caught:
        Schema({"type": "number"}).check("x" * 1_000_000)
    assert len(str(caught.value)) < 500
    assert str(caught.value).endswith("is not a number")


def test_formats_are_not_checked_and_draft_07_is_understood():
    Schema({"type": "string", "format": "email"}).check("nobody")
    draft = "http://json-schema.org/draft-07/schema#"
    Schema({"$schema": draft, "type": "string", "format": "date", "contentEncoding": "base64"}).check("!")
    with pytest.raises(SchemaViolation):
        Schema({"$schema": draft, "items": [{"type": "string"}]}).check([5])


def test_patterns_speak_pythons_dialect():
    Schema({"pattern": "^\\d$"}).check("\u0663")
    with pytest.raises(SchemaViolation):
        Schema({"pattern": "^\\D$"}).check("\u0663")


def test_decimals_that_jsonschema_cannot_divide_are_judged_as_floats():
    Schema({"multipleOf": 0.5}).check(Decimal("1.5"))
    with pytest.raises(SchemaViolation):
        Schema({"multipleOf": 0.5}).check([Decimal("1.25")][0])


@pytest.mark.parametrize(
    ("schema", "sentence"),
    [
        ({"type": "numbr"}, 'not a valid JSON Schema: type: "numbr" is not valid'),
        ({"$schema": "http://json-schema.org/draft-04/schema#"}, "neither Draft 2020-12 nor draft-07"),
        ({"$schema": "https://example.com/mine"}, "neither Draft 2020-12 nor draft-07"),
        ({"$ref": "https://example.com/order.json"}, "refers to 'https://example.com/order.json'"),
        ({"properties": {"a": {"$ref": "#/$defs/gone"}}}, "refers to '#/\\$defs/gone'"),
        ("text", "not a valid JSON Schema"),
    ],
)
def test_a_schema_that_cannot_work_is_refused_at_the_start(schema, sentence):
    with pytest.raises(HandlerSetupError, match=sentence):
        Schema(schema)


def test_references_inside_the_schema_work():
    schema = Schema({"$defs": {"name": {"type": "string"}}, "properties": {"a": {"$ref": "#/$defs/name"}}})
    schema.check({"a": "x"})
    with pytest.raises(SchemaViolation, match="a: 5 is not a string"):
        schema.check({"a": 5})


def test_what_the_fast_validator_cannot_read_is_left_to_jsonschema():
    Schema({"type": "string"}).check("\ud800")
    with pytest.raises(SchemaViolation):
        Schema({"enum": ["a"]}).check("\ud800")
