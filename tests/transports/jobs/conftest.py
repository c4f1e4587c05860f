"""Each system of jobs in turn, its tables empty, and its queue attached."""

from collections.abc import Iterator

import pytest

from dlqconsole.transports import attachments
from dlqconsole.transports.jobs.letters import LogPlace
from dlqconsole.transports.models import AttachedQueue
from tests.transports.jobs.workers import ALL, Pgqueuer, Procrastinate, Workers


@pytest.fixture
def with_others() -> None:
    """Ask for it where transactions that are under way count."""


@pytest.fixture(autouse=True)
def alone(request, monkeypatch) -> None:
    """A log waits for no transaction: the server has those of other tests, in other databases."""
    if "with_others" in request.fixturenames:
        return
    lock = LogPlace.lock.__func__

    def lock_at_once(cls, name, mark, look):
        def ended(each):
            return {**each, "oldest_running": each["next"]}

        return lock(cls, name, ended(mark), lambda: ended(look()))

    monkeypatch.setattr(LogPlace, "lock", classmethod(lock_at_once))


def _ready(workers: Workers) -> Iterator[Workers]:
    workers.make()
    yield workers
    workers.empty()


@pytest.fixture(params=ALL, ids=lambda workers: workers.prefix)
def workers(request, transactional_db) -> Iterator[Workers]:
    """Each system."""
    yield from _ready(request.param)


@pytest.fixture
def procrastinate(transactional_db) -> Iterator[Workers]:
    """procrastinate alone."""
    yield from _ready(Procrastinate())


@pytest.fixture
def pgqueuer(transactional_db) -> Iterator[Workers]:
    """pgqueuer alone."""
    yield from _ready(Pgqueuer())


@pytest.fixture
def attached(workers) -> AttachedQueue:
    """The queue, attached before anything failed."""
    return attachments.attach(workers.name, actor="test")
