"""The digest that tells two events under one id apart."""

from dlqconsole.processing.events import event_digest
from dlqconsole.processing.limits import DEFAULT_LIMITS
from dlqconsole.processing.payloads import decode, decode_text


def digest(payload: bytes) -> str:
    decoded = decode(payload)
    return event_digest(decoded.require(), decoded.raw)


def test_order_and_spaces_make_no_other_event():
    assert digest(b'{"b": [1, 2], "a": {"y": null, "x": "\xc3\xa9"}}') == digest(
        b'{"a":{"x":"\\u00e9","y":null},"b":[1,2]}'
    )


def test_other_values_are_other_events():
    payloads = [b"1", b"1.0", b'"1"', b"true", b"[1]", b"{}", b"[]", b"null", b'{"a": 1}', b'{"a": 2}']
    payloads += [b"123456789012345678901", b'"123456789012345678901"', b"12345678901234567890.125", b"1e2"]
    assert len({digest(payload) for payload in payloads}) == len(payloads)


def test_what_jsonb_gives_back_has_the_same():
    """As jsonb writes them: keys by their length, a space behind each colon and comma."""
    for sent, stored in {
        b'{"bb":1.50,"a":[1.0,12345678901234567890]}': '{"a": [1.0, 12345678901234567890], "bb": 1.50}',
        b'{"n":12345678901234567890.123456789}': '{"n": 12345678901234567890.123456789}',
    }.items():
        decoded = decode_text(stored, DEFAULT_LIMITS)
        assert decode(sent).raw is None
        assert digest(sent) == event_digest(decoded.require(), None)
