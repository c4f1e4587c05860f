"""Numbers as people type them: what is one, what is none, and the sentence for it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dlqconsole.processing.inputs import InvalidInput
from dlqconsole.processing.inputs.numbers import (
    LARGEST,
    as_count,
    as_id,
    as_measure,
    read_count,
    read_measure,
)
from dlqconsole.processing.inputs.times import as_duration


@pytest.mark.parametrize(
    "text", ["14212", "14,212", "14 212", "14\u00a0212", "14\u202f212", " 14212 ", "014212"]
)
def test_a_count_may_have_separators_between_its_thousands(text):
    assert as_count(text) == 14_212


NONE = ["", " ", ",", "-1", "+1", "1.5", "1e3", "1_000", "\uff11\uff12", "²", "٣", "x", "9" * 30, str(2**63)]


@pytest.mark.parametrize("text", NONE)
def test_what_is_no_count_is_none(text):
    assert as_count(text) is None


def test_an_id_has_digits_and_nothing_else():
    assert (as_id("42"), as_id(str(LARGEST)), as_id("8", most=7)) == (42, LARGEST, None)
    assert [text for text in ("1,000", " 7", *NONE) if as_id(text) is not None] == []


@pytest.mark.parametrize(
    ("text", "number"), [("0.5", 0.5), (".5", 0.5), ("7", 7.0), ("1e3", 1000.0), ("-2", -2.0)]
)
def test_a_measure_may_have_a_fraction(text, number):
    assert as_measure(text) == number


@pytest.mark.parametrize(
    "text", ["", "inf", "NaN", "1e999", "1e9999", "1,5", "0x10", "1_0", "9" * 400, "\uff11"]
)
def test_what_is_no_finite_number_is_none(text):
    assert as_measure(text) is None


@pytest.mark.parametrize(
    ("read", "text", "sentence"),
    [
        (read_count, "many", "The rate must be a whole number, not “many”."),
        (read_count, "x" * 99, f"The rate must be a whole number, not “{'x' * 39}…”."),
        (read_count, "0", "The rate must be between 1 and 100,000, not 0."),
        (read_count, "100,001", "The rate must be between 1 and 100,000, not 100,001."),
        (read_count, "9" * 30, f"The rate must be between 1 and 100,000, not “{'9' * 30}”."),
        (
            read_count,
            "9,999,999,999,999,999,999",
            "The rate must be between 1 and 100,000, not “9,999,999,999,999,999,999”.",
        ),
        (read_measure, "many", "The rate must be a number, not “many”."),
        (read_count, "a\r\nb", "The rate must be a whole number, not “a b”."),
        (read_measure, "0.5", "The rate must be between 1 and 100,000, not 0.5."),
    ],
)
def test_the_sentence_says_what_may_stand_there(read, text, sentence):
    with pytest.raises(InvalidInput) as refused:
        read(text, "The rate", 1, 100_000)
    assert str(refused.value) == sentence


@given(st.text(max_size=60))
def test_whatever_stands_there_is_a_number_in_its_bounds_or_a_sentence(text):
    for read, finds in ((read_count, as_count), (read_measure, as_measure)):
        found = finds(text)
        if found is None or not 0 <= found <= 99:
            with pytest.raises(InvalidInput, match=r"^It "):
                read(text, "It", 0, 99)
        else:
            assert read(text, "It", 0, 99) == found


@pytest.mark.parametrize(
    ("text", "seconds"), [("90m", 5400), ("8 h", 28800), ("3d", 259200), ("2w", 1209600)]
)
def test_a_length_of_time_has_a_unit(text, seconds):
    assert as_duration(text).total_seconds() == seconds


@pytest.mark.parametrize("text", ["", "8", "h", "8x", "-8h", "8.5h", "123456h", "٣h", "8h8m"])
def test_what_is_no_length_of_time_is_none(text):
    assert as_duration(text) is None
