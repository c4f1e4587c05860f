"""What arrives is kept to the byte: numbers with every digit, and what JSON cannot hold as raw bytes."""

import json

import pytest

from tests.contrib.api.conftest import BATCH, ERROR, STRUCTURED
from tests.plain_sql import value

HEAD = '"specversion": "1.0", "id": "e1", "source": "shop", "type": "t"'
FAILS = f'"error": {json.dumps(ERROR)}'


def kept(column):
    return value(f"SELECT {column} FROM dlq_events")


@pytest.mark.parametrize("kind", [STRUCTURED, BATCH])
@pytest.mark.parametrize(
    "number", ["9223372036854775807", "1234567890123456789012345", "1.10", "0.1234567890123456789012345"]
)
def test_each_digit_arrives(reporter, number, kind):
    body = f'{{{HEAD}, {FAILS}, "data": {number}}}'
    assert reporter.post(f"[{body}]" if kind == BATCH else body, kind).status_code == 201
    assert kept("(payload -> 'data')::text") == number


@pytest.mark.parametrize(
    "data", ["NaN", "[-Infinity]", '"\\u0000"', '"\\ud800"', '{"a": 1, "a": 2}', "1E400", "-0", '"\ud800"']
)
def test_what_jsonb_cannot_hold_stands_as_its_bytes(reporter, data):
    body = f'{{{HEAD}, {FAILS}, "data": {data}}}'.encode("utf-8", "surrogatepass")
    assert reporter.post(body).status_code == 201
    raw = bytes(kept("payload_raw"))
    names = HEAD.replace(", ", ",")
    assert raw.decode("utf-8", "surrogatepass") == f'{{{names},"data": {data}}}'


def test_a_nul_or_half_a_character_in_the_error_is_no_reason_to_lose_it(reporter):
    body = f'{{{HEAD}, "error": {{"type": "E", "message": "a\\u0000b\\ud800c"}}, "data": 1}}'
    assert reporter.post(body).status_code == 201
    assert kept("error_reason") == "E: a\ufffdb\ufffdc"


def test_a_number_in_a_header_keeps_its_digits(reporter):
    error = '{"type": "E", "headers": {"price": 1.10, "n": 12345678901234567890123}}'
    assert reporter.post(f'{{{HEAD}, "error": {error}, "data": 1}}').status_code == 201
    assert kept("headers::text") == '{"n": 12345678901234567890123, "price": 1.10}'


def test_the_members_may_stand_in_any_order_and_spelling(reporter):
    body = f'\ufeff {{ "err\\u006fr" : {json.dumps(ERROR)} , "data":\n[ 1 , 2 ] ,{HEAD}}} \n'
    assert reporter.post(body.encode()).status_code == 201
    assert kept("(payload -> 'data')::text") == "[1, 2]"
