"""Suggestions for the filter's box: keys, and values with their counts, of what somebody may see."""

import re
from html import unescape

import pytest
from django.contrib.auth.models import User

from dlqconsole.people.models import Scope

OPTION = re.compile(
    r'data-begin="(\d+)"\s+data-text="([^"]*)">\s*<span class="mono">[^<]*</span>'
    r'\s*(?:<span class="muted">([^<]*)</span>)?\s*(?:<span class="count">(\d+)</span>)?'
)


@pytest.fixture
def letters(letter):
    for number in range(3):
        letter(
            "order.made", queue="q 1", error_reason="Away: no", payload={"data": {"ship": f"s{number % 2}"}}
        )
    letter("mail", payload={"email": "ada@example.org", "to": "ada@example.org", "n": 7}, status="DISCARDED")


def suggested(client, text):
    """The texts that the box would have, each with its count, or with the words that say what was counted."""
    options = OPTION.findall(client.get("/dead-letters/suggestions", {"text": text}).content.decode())
    return [
        (
            text[: int(begin)] + unescape(new),
            unescape(words) if "newest" in words else int(count) if count else None,
        )
        for begin, new, words, count in options
    ]


def of_newest(number):
    """What is counted among the newest alone says so."""
    return f"{number} of the newest 300"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sta", [("status:", None)]),
        ("type:mail -sta", [("type:mail -status:", None)]),
        ("(ha", [("(has:", None)]),
        ("type:", [("type:order.made", 3), ("type:mail", 1)]),
        ("type:ma", [("type:mail", 1)]),
        ("type:[mail, or", [("type:[mail, order.made", 3)]),
        ("queue:q", [('queue:"q 1"', 3)]),
        ('queue:"q', [('queue:"q 1"', 3)]),
        ("status:d", [("status:DISCARDED", 1)]),
        ("error:", [("error:Away", of_newest(3)), ("error:Refused", of_newest(1))]),
        ("since:2", [("since:24h", None)]),
        ("has:no", [("has:note", None)]),
        ("payload.d", [("payload.data.ship:", of_newest(3))]),
        (
            "payload.data.ship:",
            [("payload.data.ship:s0", of_newest(2)), ("payload.data.ship:s1", of_newest(1))],
        ),
        ("nothing like", []),
    ],
)
def test_what_was_begun_is_completed(letters, operator, text, expected):
    assert suggested(operator, text) == expected


def test_nothing_masked_is_suggested(letters, operator):
    assert suggested(operator, "payload.email:") == suggested(operator, "payload.to:") == []
    assert suggested(operator, "payload.n:") == [("payload.n:7", of_newest(1))]


def test_who_only_looks_gets_no_value_of_a_payload(letters, viewer):
    assert suggested(viewer, "payload.") == suggested(viewer, "payload.n:") == []
    assert suggested(viewer, "type:ma") == [("type:mail", 1)]


def test_who_sees_a_part_gets_suggestions_of_that_part(letters, operator):
    Scope.objects.create(user=User.objects.get(username="operator"), event_type="mail")
    assert suggested(operator, "type:") == [("type:mail", 1)]
    assert suggested(operator, "error:") == [("error:Refused", of_newest(1))]
    assert suggested(operator, "payload.d") == []
