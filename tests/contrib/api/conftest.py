"""A token with the scope report, and a client that shows it."""

import json
from typing import Any

import pytest
from django.test import Client

from dlqconsole.people import tokens
from tests.accounts import person

FAILURES, RECOVERIES = "/api/v1/failures", "/api/v1/recoveries"
ERROR = {"type": "TimeoutError", "message": "billing did not answer", "category": "TRANSIENT"}
EVENT = {"specversion": "1.0", "id": "e1", "source": "shop", "type": "order.created", "data": {"order_id": 1}}
FAILED = EVENT | {"error": ERROR}
STRUCTURED, BATCH = "application/cloudevents+json", "application/cloudevents-batch+json"


def token(actor: str, scope: str = tokens.REPORT) -> str:
    return tokens.make(int(actor.removeprefix("user:")), "a test", 1, actor, scope)[1]


class Reporter:
    """A program that shows a token."""

    def __init__(self, text: str) -> None:
        self.client = Client(headers={"Authorization": f"Bearer {text}"}, enforce_csrf_checks=True)

    def post(self, body: Any = FAILED, kind: str = STRUCTURED, path: str = FAILURES, **headers: str) -> Any:
        """Post a body, or what it is in JSON."""
        content = body if isinstance(body, (str, bytes)) else json.dumps(body)
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.client.post(path, content, kind, headers=names)

    def recover(self, source: str = "shop", key: str = "e1") -> Any:
        return self.post({"source": source, "key": key}, "application/json", RECOVERIES)


@pytest.fixture
def reporter(db) -> Reporter:
    return Reporter(token(person("shop")))


def problem(answer: Any, status: int) -> str:
    """The sentence of a refusal."""
    assert (answer.status_code, answer["Content-Type"]) == (status, "application/problem+json"), (
        answer.content
    )
    content = answer.json()
    assert content["status"] == status
    return content["detail"]
