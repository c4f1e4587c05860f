"""What a dead letter's page offers for curl reports the same failure."""

import html
import json
import re

import pytest

from dlqconsole.engine.models import DeadLetter
from tests.contrib.api.conftest import FAILED

pytestmark = pytest.mark.django_db


def copied(client, number) -> tuple[str, str]:
    """The type and the body of the request."""
    page = html.unescape(client.get(f"/dead-letters/{number}/").content.decode())
    return re.search(
        r"-H 'Content-Type: (.*?)' .*?<<'END_OF_EVENT'\n(.*?)\nEND_OF_EVENT", page, re.DOTALL
    ).groups()


@pytest.mark.parametrize("number", [1234567890123456789])
def test_a_plain_payload_is_reported_again(operator, reporter, letter, number):
    columns = {"error_reason": "TimeoutError: no answer", "error_category": "TRANSIENT"}
    one = letter(payload={"number": number}, source="shop", source_key="o-1", **columns)
    kind, body = copied(operator, one)
    answer = reporter.post(body.replace("o-1", "o-2"), kind)
    assert answer.status_code == 201, answer.content
    two = DeadLetter.objects.get(pk=answer.json()["id"])
    assert (two.error_reason, two.error_class, two.payload) == (
        "TimeoutError: no answer", "TimeoutError", {"number": number},
    )  # fmt: skip


def test_a_cloudevent_stays_one(operator, reporter):
    one = reporter.post(FAILED).json()["id"]
    kind, body = copied(operator, one)
    event = json.loads(body)
    assert (event["specversion"], event["error"]["type"]) == ("1.0", "TimeoutError")
    assert reporter.post(body, kind).json()["id"] == one
