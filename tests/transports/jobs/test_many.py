"""Many failed jobs: each once, page by page, and a look that finds nothing new costs next to nothing."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from dlqconsole.engine.models import DeadLetter
from dlqconsole.transports import relay
from dlqconsole.transports.jobs import steps
from tests.plain_sql import execute

pytestmark = pytest.mark.django_db(transaction=True)


def test_each_of_many_is_one_dead_letter_whatever_a_page_holds(workers, attached, monkeypatch):
    monkeypatch.setattr(steps, "PAGE", 7)
    monkeypatch.setattr(steps, "SCAN", 5)
    workers.fill(40)
    relay.run_once()
    relay.run_once()
    assert DeadLetter.objects.count() == 40
    assert set(DeadLetter.objects.values_list("occurrences", flat=True)) == {1}


def test_a_log_that_is_read_once_more_adds_nothing(workers, attached):
    workers.fill(5)
    relay.run_once()
    execute("DELETE FROM source_positions")
    relay.run_once()
    assert list(DeadLetter.objects.values_list("occurrences", flat=True)) == [1] * 5


def test_a_look_that_finds_nothing_new_reads_no_job(workers, attached):
    workers.fill(5)
    relay.run_once()
    relay.run_once()
    with CaptureQueriesContext(
        connection,
    ) as queries:
        relay.run_once()
    texts = [each["sql"] for each in queries]
    assert not [text for text in texts if "WITH page AS" in text]
    assert not [text for text in texts if text.startswith(("INSERT", "UPDATE"))]
