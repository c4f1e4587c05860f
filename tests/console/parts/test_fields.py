"""The form fields: a value, or one sentence; what was typed stands there again."""

import html
from datetime import date, time
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dlqconsole.console.parts import fields
from dlqconsole.console.parts.forms import ConsoleForm
from dlqconsole.processing.inputs.fields import Choice, Number, Text, WholeNumber, YesNo
from dlqconsole.processing.inputs.plain_text import NO_REASON
from dlqconsole.processing.inputs.times import Clock, Day, Wait


class Everything(ConsoleForm):
    note = fields.TypedField(Text(what="The note", limit=10, hint="It stays"), required=False)
    reason = fields.ReasonField()
    limit = fields.TypedField(WholeNumber(what="The limit", low=1, high=20_000), required=False)
    share = fields.TypedField(Number(what="The share", low=0, high=1, is_required=False))
    day = fields.TypedField(Day(what="The first day"), required=False)
    row = fields.TypedField(WholeNumber(what="The row", low=1), required=False)
    wait = fields.TypedField(Wait(what="The wait"), required=False)
    clock = fields.TypedField(Clock(what="The beginning"), required=False)
    way = fields.TypedField(Choice(what="The way", choices=[("up", "Earlier")], empty="any"), required=False)
    order = fields.TypedField(YesNo(what="The order"), required=False)
    version = fields.VersionField(sentence="The form lost its version.", required=False)
    request_key = fields.RequestKeyField(required=False)
    payload = fields.JsonTextField(limit=100, required=False)


@pytest.mark.parametrize(
    ("name", "length", "shown"), [("reason", 3_000, 3_000), ("reason", 30_000, 20_001), ("share", 300, 200)]
)
def test_what_is_too_long_comes_back_as_far_as_a_page_bears(name, length, shown):
    sent = Everything({"reason": "a test"} | {name: "7" * length})
    assert not sent.is_valid()
    assert str(sent[name]).count("7") == shown


def form(**typed: str) -> Everything:
    return Everything({"reason": "a test"} | typed)


@pytest.mark.parametrize(
    ("name", "typed", "value"),
    [
        ("note", "  a\r\nb ", "a\nb"),
        ("note", "   ", ""),
        ("reason", " fixed ", "fixed"),
        ("limit", "14,212", 14_212),
        ("limit", "14 212", 14_212),
        ("limit", "", None),
        ("share", "0.5", 0.5),
        ("wait", "6h", 21_600.0),
        ("clock", "6:30", time(6, 30)),
        ("way", "up", "up"),
        ("way", "", None),
        ("order", "yes", True),
        ("row", str(2**63 - 1), 2**63 - 1),
        ("day", "2026-1-5", date(2026, 1, 5)),
        ("day", "", None),
        ("version", "7", 7),
        ("request_key", "00000000-0000-0000-0000-000000000007", UUID(int=7)),
        ("payload", ' {"a":\r\n1} ', ' {"a":\n1} '),
    ],
)
def test_what_fits_is_a_value(name, typed, value):
    asked = form(**{name: typed})
    assert asked.is_valid(), asked.sentences
    assert asked.cleaned_data[name] == value


@pytest.mark.parametrize(
    ("name", "typed", "sentence"),
    [
        ("note", "x" * 11, "The note has 11 characters; the limit is 10."),
        ("note", "a\x00", "The note holds a character that cannot be stored."),
        ("note", "a\udc80", "The note holds a character that cannot be stored."),
        ("reason", " ", NO_REASON),
        ("reason", "x" * 2_001, "The reason has 2,001 characters; the limit is 2,000."),
        ("limit", "0", "The limit must be between 1 and 20,000, not 0."),
        ("limit", "\uff11", "The limit must be a whole number, not “\uff11”."),
        ("share", "2", "The share must be between 0 and 1, not 2.0."),
        ("wait", "6", "The wait is a length of time such as 30s, 90m or 6h; it is “6”."),
        ("clock", "24:00", "The beginning is a time of the day such as 22:00; it is “24:00”."),
        ("way", "down", "The way is one of up; it is “down”."),
        ("order", "perhaps", "The order is one of yes, no; it is “perhaps”."),
        ("day", "2024-02-30", "The first day is a date such as 2026-11-21; it is “2024-02-30”."),
        ("row", "0", "The row must be between 1 and 9,223,372,036,854,775,807, not 0."),
        ("version", "1,000", "The form lost its version."),
        ("request_key", "x", "The form lost its key. Go back and open it again."),
    ],
)
def test_what_does_not_fit_is_one_sentence(name, typed, sentence):
    asked = form(**{name: typed})
    assert asked.sentences == [sentence]


def test_a_problem_stands_beside_its_field_and_the_field_says_so():
    asked = form(note="x" * 11)
    page = asked["note"].as_field_group()
    assert 'aria-invalid="true"' in page
    assert 'aria-describedby="id-note_helptext id-note_error"' in page
    assert 'id="id-note_error"' in page
    assert asked.problems == [("The note has 11 characters; the limit is 10.", "id-note")]
    assert "aria-invalid" not in asked["reason"].as_field_group()


def test_a_hidden_field_has_no_place_to_go_to():
    assert form(version="x").problems == [("The form lost its version.", "")]


JUNK = ["\x00", "9" * 400, "inf", "-1", "x" * 100_000, "</p>", "\udc80"]
TEXTS = st.text(max_size=30) | st.sampled_from(JUNK)


@settings(max_examples=30)
@given(st.fixed_dictionaries(dict.fromkeys(Everything.base_fields, TEXTS)))
def test_whatever_is_typed_is_answered_and_shown_again(typed):
    asked = Everything(typed)
    asked.is_valid()
    page = "".join(asked[name].as_field_group() for name in asked.fields)
    page.encode()
    assert len(page) < 30_000
    for name, sentences in asked.errors.items():
        assert len(sentences) == 1
        assert "\n" not in sentences[0]
        shown = asked[name].value()
        assert shown == typed[name].replace("\x00", "")[: len(shown)].encode("utf-8", "replace").decode()
        # a list to choose from has no place for another text
        assert name in ("way", "order") or html.escape(shown.strip()[:5]) in page
