"""Jobs in another database than the console's: the same round trip, and a death between the two commits."""

from collections.abc import Iterator

import psycopg
import pytest
from django.db import connection
from psycopg.sql import SQL, Identifier

from dlqconsole.engine.models import DeadLetter
from dlqconsole.transports import attachments, relay, services
from dlqconsole.transports.jobs import steps
from tests.plain_sql import execute, value
from tests.transports.jobs.workers import Pgqueuer, Procrastinate, Workers

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(scope="module")
def database(django_db_setup, django_db_blocker) -> Iterator[str]:
    """The name of another database."""
    with django_db_blocker.unblock():
        address = Procrastinate().address()
    name = f"{address['dbname']}_jobs"
    with psycopg.connect(**address, autocommit=True) as session:
        session.execute(SQL("CREATE DATABASE {}").format(Identifier(name)))
        yield name
        session.execute(SQL("DROP DATABASE {} WITH (FORCE)").format(Identifier(name)))


@pytest.fixture(params=[Procrastinate, Pgqueuer], ids=lambda kind: kind.prefix)
def there(request, database, transactional_db, tmp_path, monkeypatch) -> Iterator[Workers]:
    """Each system in the other database, its queue attached."""
    workers = request.param()
    workers.database, workers.service = database, "there"
    address = {name: given for name, given in workers.address().items() if given}
    lines = ["[there]", *(f"{name}={given}" for name, given in address.items())]
    (tmp_path / "services").write_text("\n".join(lines))
    monkeypatch.setenv("PGSERVICEFILE", str(tmp_path / "services"))
    workers.make()
    attachments.attach(workers.name, actor="test")
    yield workers
    workers.empty()
    services.close()


def adopt(there) -> int:
    """A failed job of the other database that is a dead letter here."""
    job = there.fail({"order_id": 7})
    assert sum(relay.run_once()["dead-lettered"] for _ in range(2)) == 1
    return job


def test_there_and_back_again(there):
    job = adopt(there)
    assert value("SELECT dead_letter_revive(id) FROM dlq_events")
    assert relay.run_once()["forwarded"] == 1
    assert there.state(job) == there.waiting
    assert there.work() == [{"order_id": 7}]
    relay.run_once()
    assert DeadLetter.objects.get().status == "SUCCEEDED"


def test_a_relay_that_dies_between_the_two_commits_retries_once(there, monkeypatch):
    job = adopt(there)
    execute("SELECT dead_letter_revive(id) FROM dlq_events")

    def die(*_given):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(steps, "_note", die)
        with pytest.raises(KeyboardInterrupt):
            relay.run_once()
    assert there.state(job) == there.waiting
    assert there.work() == [{"order_id": 7}]
    assert relay.run_once()["forwarded"] == 1
    assert there.work() == []
    assert DeadLetter.objects.get().status == "SUCCEEDED"
    assert connection.is_usable()
