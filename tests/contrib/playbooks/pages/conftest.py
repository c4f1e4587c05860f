"""Shared by the tests of the playbooks' pages: a filled-in form, and a saved one."""

import html
import re
from typing import Any

import pytest
from django.test import Client

from dlqconsole.contrib.playbooks.models import Playbook
from tests.accounts import actor_of
from tests.contrib.playbooks.conftest import made

FORM = {
    "do": "save",
    "kind": "revive",
    "name": "Orders are back",
    "filter": "type=order.created",
    "trigger": "breaker",
    "key": "type:order.created",
    "canary": "on",
    "canary_probes": "5",
    "canary_threshold": "10",
    "per_hour": "2,000",
    "per_day": "10,000",
    "operations_per_day": "24",
    "tells_owner": "yes",
    "reason": "weather fails each night",
}


@pytest.fixture
def of_operator(operator) -> Playbook:
    """A playbook that the operator made."""
    return made(actor_of("operator"))


def words(answer: Any) -> str:
    """The page's text as a person reads it."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", answer.content.decode())).split())


def confirmed(client: Client, row: Playbook, page: str, **more: Any) -> Any:
    """The form of a button, sent as it was seen."""
    row.refresh_from_db()
    posted = {"version": row.version, "reason": "so it is", **more}
    return client.post(f"/playbooks/{row.pk}/{page}/", posted)
