"""Error messages and stack traces from anywhere become storable, readable text."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dlqconsole.processing import sanitise_text
from dlqconsole.processing.texts import one_line


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("plain", "plain"),
        ("a\x00b", "ab"),
        ("\ud800x", "\ufffdx"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x07", "link"),
        ("one\r\ntwo\rthree", "one\ntwo\nthree"),
        ("tab\tand 中文 🎉", "tab\tand 中文 🎉"),
    ],
)
def test_what_postgresql_refuses_or_a_browser_cannot_show_is_removed(text, clean):
    assert sanitise_text(text) == clean


def test_a_long_text_keeps_its_head_and_its_tail():
    short = sanitise_text("a" * 3000 + "b" * 3000, 1000)
    assert len(short) <= 1000
    assert short.startswith("aaa")
    assert short.endswith("bbb")
    assert "[… 5," in short
    assert "characters cut …]" in short


def test_the_marker_says_exactly_how_much_is_missing():
    short = sanitise_text("x" * 5000, 1000)
    missing = int(short.split("[… ")[1].split(" ")[0].replace(",", ""))
    assert short.count("x") + missing == 5000 + "characters cut".count("x")


@given(st.text(alphabet=st.characters(exclude_categories=[])), st.integers(0, 80))
def test_any_text_can_be_stored_afterwards_within_the_limit(text, limit):
    clean = sanitise_text(text, limit)
    assert len(clean) <= limit
    assert "\x00" not in clean
    assert "\x1b" not in clean
    clean.encode()


def test_of_what_is_far_too_long_only_the_ends_are_cleaned():
    """Else the time that it takes is counted as the handler's."""
    text = "\x1b[31mhead " + "\x1bx\n" * 3_000_000 + " tail\x1b[0m"
    begun = time.process_time()
    short = one_line(text, 1000)
    assert time.process_time() - begun < 0.05
    assert len(short) <= 1000
    assert short.startswith("head ")
    assert short.endswith(" tail")
    assert "[… 8,99" in short
