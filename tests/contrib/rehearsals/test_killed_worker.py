"""kill -9 on a worker that rehearses: another one says what the first did not, each once."""

import signal

import pytest

from dlqconsole.contrib.rehearsals.models import Prediction
from dlqconsole.operations.models import LIVE, Operation
from tests.operations.conftest import ask, counts
from tests.plain_sql import column
from tests.waiting import as_soon_as, eventually

pytestmark = [pytest.mark.faults, pytest.mark.django_db(transaction=True)]


def test_a_killed_rehearsal_is_finished_by_another_worker_and_says_each_once(letters, worker):
    letters(60, payload='{"do": "sleep", "seconds": 0.05}')
    before = column("SELECT md5(string_agg(d::text, '|' ORDER BY id)) FROM dlq_events d")
    operation = ask("rehearse", filter={})
    first = worker()
    as_soon_as(lambda: Operation.objects.get().done >= 5)
    first.send_signal(signal.SIGKILL)
    first.wait()
    assert 5 <= counts(operation)[2] < 60
    worker()
    eventually(lambda: not Operation.objects.filter(status__in=LIVE).exists())
    assert counts(operation) == ("completed", 60, 60, 0, 0)
    assert Prediction.objects.count() == 60
    assert column("SELECT md5(string_agg(d::text, '|' ORDER BY id)) FROM dlq_events d") == before
    assert operation.adoptions == 1
