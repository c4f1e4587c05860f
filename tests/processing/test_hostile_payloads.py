"""The bad inputs of a payload: each is read as far as it can be, kept whole, and explained."""

import time

import pytest

from dlqconsole.processing import MalformedEvent, PayloadTooLarge, decode


def state_of(payload):
    found = decode(payload)
    return found.state, found.value, found.json_text, found.problem


@pytest.mark.parametrize(
    ("payload", "copy", "problem"),
    [
        (b'{"a":"x\\u0000y"}', '{"a":"x\\ufffdy"}', "\\u0000 cannot be stored at line 1, column 8 (byte 7)"),
        (b'"\\ud800"', '"\\ufffd"', "unpaired surrogate \\ud800 at line 1, column 2 (byte 1)"),
        (b'"\\udc00\\ud83d"', '"\\ufffd\\ufffd"', "unpaired surrogate \\udc00 at line 1, column 2 (byte 1)"),
        (
            b'"\\ud83d\\n\\ude00"',
            '"\\ufffd\\n\\ufffd"',
            "unpaired surrogate \\ud83d at line 1, column 2 (byte 1)",
        ),
        (
            b'"\\ud83d\\ud83d\\ude00"',
            '"\\ufffd\\ud83d\\ude00"',
            "unpaired surrogate \\ud83d at line 1, column 2 (byte 1)",
        ),
        (b'{"a":1,\n "a":2}', '{"a":1,\n "a":2}', 'key "a" appears twice at line 2, column 2 (byte 9)'),
        (b'{"a":1,"\\u0061":2}', '{"a":1,"\\u0061":2}', 'key "a" appears twice at line 1, column 8 (byte 7)'),
    ],
)
def test_what_jsonb_would_change_becomes_a_copy_beside_the_raw_bytes(payload, copy, problem):
    found = decode(payload)
    assert (found.state, found.json_text, found.problem) == ("sanitised", copy, problem)
    assert found.raw == payload


def test_an_unpaired_surrogate_in_text_is_found_before_any_encoder_fails_on_it():
    found = decode('{"né":"\ud800"}')
    assert (found.state, found.json_text) == ("sanitised", '{"né":"\ufffd"}')
    assert found.problem == "unpaired surrogate U+D800 at line 1, column 8 (byte 8)"


@pytest.mark.parametrize(
    ("payload", "problem"),
    [
        (b"", "the payload is empty at line 1, column 1 (byte 0)"),
        (b"  \n", "the payload is empty at line 2, column 1 (byte 3)"),
        (
            b"{'a':1}",
            "not JSON, expecting property name enclosed in double quotes at line 1, column 2 (byte 1)",
        ),
        (b'{"a":1 /* no */}', "not JSON, expecting ',' delimiter at line 1, column 8 (byte 7)"),
        (b'{"a":', "not JSON, expecting value at line 1, column 6 (byte 5)"),
        (b'{"id":12}{"id":13}', "something follows the end of the document at line 1, column 10 (byte 9)"),
        (b'"a\nb"', "not JSON, invalid control character at line 1, column 3 (byte 2)"),
        (b'"a\x00b"', "a raw NUL byte at line 1, column 3 (byte 2)"),
        (b'{"a":NaN}', "NaN is not JSON at line 1, column 6 (byte 5)"),
        (b'["NaN",-Infinity]', "-Infinity is not JSON at line 1, column 8 (byte 7)"),
        (b"1e400", "number out of range: its exponent is beyond ±308 at line 1, column 1 (byte 0)"),
        (b"[1e-16384]", "number out of range: its exponent is beyond ±308 at line 1, column 2 (byte 1)"),
        (
            b"[1e99999999999999999999]",
            "number out of range: its exponent is beyond ±308 at line 1, column 2 (byte 1)",
        ),
        (b"9" * 5000, "number of 5,000 digits, more than 400 at line 1, column 1 (byte 0)"),
        (b"0." + b"1" * 5000, "number of 5,001 digits, more than 400 at line 1, column 1 (byte 0)"),
        (b'{"a":"\xff"}', "not UTF-8 at line 1, byte 7 of it (byte 6, 0xff)"),
        (
            '{"a":1}'.encode("utf-16"),
            "not UTF-8 at line 1, byte 1 of it (byte 0, 0xff): it looks like UTF-16",
        ),
        (b"\x1f\x8b\x08\x00", "not UTF-8 at line 1, byte 2 of it (byte 1, 0x8b): it looks like gzip"),
    ],
)
def test_what_is_no_json_is_kept_raw_with_a_sentence_that_says_where(payload, problem):
    found = decode(payload)
    assert (found.state, found.problem) == ("unparsable", problem)
    assert (found.raw, found.json_text, found.value) == (payload, None, None)


def test_a_trailing_comma_is_refused_in_the_words_of_the_python_that_runs():
    found = decode(b'{"a":1,}')  # Python 3.13 calls it illegal, 3.12 expects another name after it
    assert found.state == "unparsable"
    assert found.problem is not None
    assert found.problem.startswith("not JSON, ")


@pytest.mark.parametrize(
    ("payload", "problem"),
    [
        (b'"' + b"x" * 1024 * 1024 + b'"', "the payload is 1,048,578 bytes long, more than 1,048,576"),
        (b"[" * 65 + b"]" * 65, "more than 64 levels of nesting at line 1, column 65 (byte 64)"),
        (b"[" * 50_000 + b"]" * 50_000, "more than 64 levels of nesting at line 1, column 65 (byte 64)"),
        (b"[" * 50_000, "more than 64 levels of nesting at line 1, column 65 (byte 64)"),
    ],
)
def test_what_is_too_large_or_too_deep_is_kept_raw(payload, problem):
    found = decode(payload)
    assert (found.state, found.problem, found.raw) == ("too_large", problem, payload)


@pytest.mark.parametrize(
    "payload",
    [
        b'{"a":"\\ud83d\\ude00"}',
        b'{"path":"C:\\\\u0000"}',
        b'{"a":1.10}',
        b"[9007199254740993]",
        b"5",
        b'"x"',
        b"null",
        b"[]",
        b"{}",
        b'{"__proto__":1,"":2,"a.b":3,"a[0]":4}',
        b"[" * 64 + b"]" * 64,
        '{"中文":"é🎉"}'.encode(),
        b' {"a" : [1, 2]}\r\n',
    ],
)
def test_sound_payloads_keep_their_text_and_need_no_raw_copy(payload):
    found = decode(payload)
    assert (found.state, found.json_text, found.raw, found.problem) == ("ok", payload.decode(), None, None)


@pytest.mark.parametrize("payload", [b"-0", b'{"a": -0.0}', b"[1E5]", b"[1e-5]", b"\n-0"])
def test_numbers_that_jsonb_words_otherwise_keep_the_raw_bytes_beside_the_text(payload):
    found = decode(payload)
    assert (found.state, found.json_text, found.raw) == ("ok", payload.decode(), payload)


def test_numbers_that_no_float_holds_are_exact():
    found = decode(b"[12345678901234567890.123456789, 12345678901234567890123, 0.1]")
    assert [str(number) for number in found.value] == [
        "12345678901234567890.123456789",
        "12345678901234567890123",
        "0.1",
    ]


def test_a_byte_order_mark_is_removed_and_noted():
    found = decode(b'\xef\xbb\xbf{"a":1}')
    assert (found.state, found.value, found.json_text) == ("ok", {"a": 1}, '{"a":1}')
    assert found.problem == "a byte order mark was removed from the start"
    assert found.raw == b'\xef\xbb\xbf{"a":1}'


def test_positions_count_lines_columns_and_bytes_after_a_byte_order_mark():
    found = decode('\ufeff{"é":1,\n"é":2}')
    assert found.problem == 'key "é" appears twice at line 2, column 1 (byte 12)'


def test_only_a_sound_payload_gives_its_value_to_a_handler():
    assert decode(b'{"a":1}').require() == {"a": 1}
    with pytest.raises(MalformedEvent, match='key "a" appears twice'):
        decode(b'{"a":1,"a":2}').require()
    with pytest.raises(PayloadTooLarge, match="64 levels"):
        decode(b"[" * 65 + b"]" * 65).require()


def test_a_megabyte_of_escapes_is_read_in_reasonable_time():
    began = time.perf_counter()
    found = decode(b'"' + b"\\u0000" * 170_000 + b'"')
    assert found.value == "\ufffd" * 170_000
    assert time.perf_counter() - began < 3
