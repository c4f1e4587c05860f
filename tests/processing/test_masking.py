"""Personal data goes, everything else stays byte for byte, and no text is too hostile."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dlqconsole.processing.masking import Masker

masker = Masker()

STAYS = [
    "9223372036854775807",
    "1234567890123456789",
    "1779984000123",
    "1779984000123456",
    "1700000000",
    "ORD-2026-000123",
    "112-1234567-1234568",
    "order 4111111111111112",
    "4111-1111",
    "v1.2.3",
    "10.0.0.12:5432",
    "left-pad@1.3.0",
    "react@18.2.0-beta.rc",
    "1.0.0+20130313144700",
    "2026-11-21T11:00:00.123456+08:00",
    "550e8400-e29b-41d4-a716-446655440000",
    "11111111-1111-4111-8111-111111111111",
    "at Bar.main(Bar.java:1234)",
    "Basic authentication failed",
    "Bearer authentication required",
    "Unexpected token: }",
    "3.14159265358979",
    "4f2a9c1d8e7b6a5f4111111111111111",
    "joe@localhost",
    "GB82 is no IBAN",
    "110105194912310021",
    "sha256:9f86d081",
    "password is wrong",
    "0000000000000000",
    "offset=1234567890123456",
    "1e131071",
    "retry 3 of 240",
    "task-12345678901234567890abcdef",
    "boxcox_test_run",
    "disk-0123456789abcdef0123",
]
GOES = [
    ("card 4111 1111 1111 1111.", "card ‹card›."),
    ("378282246310005", "‹card›"),
    ("joe.o'neil+x@mail.example.org, 李@例子.中国", "‹email›, ‹email›"),
    ("user=joe%40example.org&x=1", "user=‹email›&x=1"),
    ("joe@163.com.", "‹email›."),
    ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl!", "‹token›!"),
    ("AKIAIOSFODNN7EXAMPLE", "‹aws key›"),
    ("DE89 3704 0044 0532 0130 00 AND MORE", "‹iban› AND MORE"),
    ("+49 (30) 123-4567", "‹phone›"),
    ("13812345678", "‹phone›"),
    ("11010519491231002X", "‹national id›"),
    ("123-45-6789", "‹national id›"),
    ("Bearer abc123.def", "Bearer ‹token›"),
    ("postgres://joe:pw@db/x", "postgres://joe:‹password›@db/x"),
    ("Authorization: Basic xyz abc\nnext", "Authorization: ‹authorization›\nnext"),
    ("password=hunter2, retries=3", "password=‹password›, retries=3"),
    (r"body {\"apiKey\":\"x y\",\"id\":3}", r"body {\"apiKey\":\"‹secret›\",\"id\":3}"),
    ("{'customer_name': 'Joe Smith', 'id': 7}", "{'customer_name': '‹name›', 'id': 7}"),
    ("密码: abc", "密码: ‹password›"),
    ("key sk_live_4eC39HqLyjWDarjtT1zdp7dc!", "key ‹secret›!"),
    ("ghp_16C7e42F292c6912E7710c838347Ae178B4a", "‹secret›"),
    ("github_pat_11ABCDEFG0123456789_abcdefghij", "‹secret›"),
    ("xoxb-123456789012-abcdefABCDEF", "‹secret›"),
    ("-----BEGIN PGP PRIVATE KEY BLOCK-----\nabc\n-----END PGP PRIVATE KEY BLOCK-----.", "‹private key›."),
]


@pytest.mark.parametrize("text", STAYS)
def test_ids_versions_and_timestamps_stay(text):
    assert masker.text(text) == text
    assert masker.json(json.dumps({"id": text})) == json.dumps({"id": text})


@pytest.mark.parametrize(("text", "masked"), GOES)
def test_what_is_personal_or_secret_goes_from_free_text(text, masked):
    assert masker.text(text) == masked


@pytest.mark.parametrize(
    "key",
    [
        "password",
        "userPassword",
        "X-API-Key",
        "accessToken",
        "customer_email",
        "phoneNumber",
        "billing-address",
        "firstName",
        "SSN",
        "身份证号",
        "session_id",
    ],
)
def test_a_telling_key_hides_its_value_whatever_it_is(key):
    within = json.dumps({key: ["x", 1.50, {"deep": "y", "flag": True}]}, ensure_ascii=False)
    masked = json.loads(masker.json(within))[key]
    assert masked[0] == masked[1] == masked[2]["deep"]
    assert masked[0].startswith("‹")
    assert masked[2]["flag"] is True


@pytest.mark.parametrize(
    "key",
    [
        "email_verified",
        "card_type",
        "token_count",
        "ip_address",
        "event_name",
        "id",
        "max_retries",
        "keyboard",
        "secretary",
        "microphone",
        "name",
    ],
)
def test_a_harmless_key_hides_nothing(key):
    text = json.dumps({key: "x"})
    assert masker.json(text) == text


def test_a_team_adds_keys_of_its_own():
    assert (
        Masker(["orderRef"]).json('{"order_ref": 5, "other": 5}') == '{"order_ref": "‹masked›", "other": 5}'
    )


def test_json_in_a_string_of_json_is_looked_into():
    inner = json.dumps({"password": "x", "n": 1})
    assert json.loads(json.loads(masker.json(json.dumps({"body": inner})))["body"]) == {
        "password": "‹password›",
        "n": 1,
    }


def test_everything_else_stays_byte_for_byte():
    kept = '{ "n" : 1234567890123456789.10, "e":1E+5,\t"z": -0.0, "s":"\\u00e9\\ud800", "long": ' + "7" * 5000
    text = kept + ', "to": "joe@example.org" , "x": [ ] }'
    assert masker.json(text) == kept + ', "to": "‹email›" , "x": [ ] }'


def test_a_card_that_came_as_a_number_becomes_a_string():
    assert masker.json('{"n": 4111111111111111}') == '{"n": "‹card›"}'


def test_broken_json_is_masked_as_text():
    assert masker.json('{"a": "joe@example.org", "password": "x y", oops') == (
        '{"a": "‹email›", "password": "‹password›", oops'
    )


def test_with_a_secret_equal_values_get_equal_marks_and_others_do_not():
    keyed = Masker(secret=b"k")
    one, same, other = (keyed.text(mail) for mail in ("a@x.org", "a@x.org", "b@x.org"))
    assert one == same != other
    assert Masker(secret=b"another").text("a@x.org") != one


TREES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
)


@given(TREES)
def test_masked_json_is_json_of_the_same_shape_and_masking_twice_changes_nothing(tree):
    text = json.dumps(tree)
    masked = masker.json(text)
    json.loads(masked)
    assert masker.json(masked) == masked


@given(st.text() | st.text(alphabet='{}[]":\\,@.=0123456789+- eyJpassword'))
def test_no_text_makes_it_raise(text):
    assert isinstance(masker.text(text), str)
    assert isinstance(masker.json(text), str)


@pytest.mark.parametrize(
    "piece",
    ["[", '"', "\\", "a@", "eyJ", "1 ", "+1(", "4111-", "DE89 ", 'password="', '{"password":"', "://a:"],
)
def test_a_megabyte_of_malice_takes_seconds_at_most(piece):
    text = piece * (1_000_000 // len(piece))
    started = time.perf_counter()
    masker.json(text), masker.text(text)
    assert time.perf_counter() - started < 8  # about 0.3 s on an idle machine; quadratic would be hours


def test_the_beginning_of_a_long_text_is_masked_to_its_last_character_and_stays_as_long():
    harmless = '{"note": "' + "so far so good, " * 40
    assert masker.json_beginning(harmless) == harmless
    assert masker.json_beginning(harmless + '", "to": "joe@exam') == harmless + '", "to": "‹email›'
