"""What workers in SQL do is told on the queue's page and on the terminal, and who they are."""

import json
import re

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.utils.timezone import now

from dlqconsole.operations.requests import blockers
from tests.accounts import entered, join


@pytest.fixture
def queue_page(world):
    """``queue_page()`` is the text of the queue's page, as a viewer sees it."""
    with world.roles.as_role("app"):
        viewer = User.objects.create(username="viewer", last_login=now())
        join(viewer, "viewer")
        client: Client = entered(viewer, "viewer")
        yield lambda: re.sub(r"\s+", " ", client.get("/queues/orders/").content.decode())


def test_the_page_tells_throughput_and_names_who_consumes(world, start, language, queue_page):
    world.policy(max_retries=0)
    assert "No consumer has done anything here in the last hour" in queue_page()
    start()
    world.until(world.is_asleep)
    world.send({"n": 1}, {"n": 2}, {"n": 3, "do": "fail"})
    world.until(world.is_empty)
    shown = queue_page()
    assert f"({language})" in shown
    assert "2 completed, 1 failed" in shown
    assert "No consumer has done anything" not in shown


def test_the_command_tells_the_same(world, start, language, capsys):
    world.policy()
    world.send({"n": 1}, {"n": 2})
    start()
    world.until(world.is_empty)
    with world.roles.as_role("app"):
        call_command("queues", "show", "orders")
        shown = capsys.readouterr().out
        call_command("queues", "show", "orders", "--json")
        [consumer] = json.loads(capsys.readouterr().out)["consumers_in_sql"]
    assert "2 completed, 0 retried, 0 dead-lettered" in shown
    assert consumer in shown
    assert consumer.startswith(f"{world.roles.prefix}consumer ({language}) ")


@pytest.mark.parametrize("language", ["sql"])
def test_a_queue_with_a_worker_is_not_called_one_without(world, start, language):
    world.policy()
    with world.roles.as_role("app"):
        assert "Nobody consumes orders" in blockers._unconsumed(["orders"])[0]
    world.send({"n": 1})
    start()
    world.until(world.is_empty)
    with world.roles.as_role("app"):
        assert blockers._unconsumed(["orders"]) == []
