"""A typed text within a sentence about it."""

import pytest

from dlqconsole.processing.inputs.plain_text import quoted


def test_it_stands_in_quotation_marks_as_it_was_typed():
    assert quoted("orders") == "“orders”"
    assert quoted(7) == "“7”"


def test_what_is_long_is_cut_and_says_so():
    assert quoted("x" * 41) == f"“{'x' * 39}…”"
    assert quoted("x" * 40) == f"“{'x' * 40}”"


@pytest.mark.parametrize("text", ["a\x00b", "a\x1b[31mb", "a\u202eb", "a\ud800b"])
def test_nothing_in_it_acts_on_a_terminal_or_a_page(text):
    assert quoted(text).isprintable()


def test_it_is_one_line():
    assert quoted("a\r\nb\tc") == "“a b c”"
