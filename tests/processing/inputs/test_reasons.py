"""A reason: there is one, it fits, and it can be stored."""

import pytest

from dlqconsole.processing.inputs import InvalidInput
from dlqconsole.processing.inputs.plain_text import (
    NO_REASON,
    REASON_LIMIT,
    check_text,
    checked_reason,
    echo_text,
    read_reason,
)

UNSTORABLE = "The reason holds a character that cannot be stored."
TOO_LONG = "The reason has 2,001 characters; the limit is 2,000."


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", NO_REASON),
        ("\r\n\t ", NO_REASON),
        ("x" * (REASON_LIMIT + 1), TOO_LONG),
        ("a\x00b", UNSTORABLE),
        ("a\udc80", UNSTORABLE),
    ],
)
def test_a_form_s_reason_is_refused_with_a_sentence(text, sentence):
    with pytest.raises(InvalidInput) as refused:
        read_reason(text)
    assert str(refused.value) == sentence


def test_a_reason_is_kept_without_the_spaces_around_it():
    assert read_reason("  fixed in 4.2\n") == "fixed in 4.2"
    assert read_reason(" " + "x" * REASON_LIMIT) == "x" * REASON_LIMIT


def test_a_program_s_reason_loses_what_cannot_be_stored():
    assert checked_reason("\x1b[31mfixed\x00\udc80") == "fixed\ufffd"
    with pytest.raises(InvalidInput, match="Say why"):
        checked_reason("\x00")
    with pytest.raises(InvalidInput, match="2,000"):
        checked_reason("x" * 2_001)


def test_any_text_has_its_own_limit():
    check_text("x" * 10, "The note", 10)
    with pytest.raises(InvalidInput, match=r"The note has 11 characters; the limit is 10\."):
        check_text("x" * 11, "The note", 10)


def test_what_is_shown_again_is_short_and_can_be_sent():
    assert echo_text("a\x00b\udc80" + "x" * 99, 5) == "ab?xx"
