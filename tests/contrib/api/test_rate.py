"""A token may report so much a minute, over all processes; then it is told how long to wait."""

import pytest

from dlqconsole.contrib.api import caller
from dlqconsole.engine.models import DeadLetter
from tests.accounts import person
from tests.contrib.api.conftest import BATCH, FAILED, Reporter, problem, token


@pytest.fixture
def slowly(monkeypatch):
    monkeypatch.setattr(caller, "PER_MINUTE", 100)


@pytest.mark.usefixtures("slowly")
def test_who_reports_too_much_waits(reporter):
    assert reporter.post([FAILED] * 100, BATCH).status_code == 201
    answer = reporter.post([FAILED] * 5, BATCH)
    assert "100 failures a minute" in problem(answer, 429)
    assert 1 <= int(answer["Retry-After"]) <= 3
    assert DeadLetter.objects.get().occurrences == 100
    assert reporter.recover().status_code == 429


@pytest.mark.usefixtures("slowly")
def test_others_do_not(reporter):
    reporter.post([FAILED] * 100, BATCH)
    assert Reporter(token(person("billing"))).post().status_code == 201
