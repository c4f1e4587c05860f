"""Tables that are not there, are old, or are kept from us: one sentence, and the other steps go on."""

from pathlib import Path

import pytest

from dlqconsole.core.errors import EngineError, UnknownQueue
from dlqconsole.engine.models import DeadLetter
from dlqconsole.transports import attachments, registry, relay
from dlqconsole.transports.errors import TransportUnavailable
from tests.plain_sql import execute
from tests.transports.jobs.workers import ALL

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("prefix", ["procrastinate", "pgqueuer"])
def test_tables_that_are_not_there_are_a_sentence(transactional_db, prefix):
    with pytest.raises(TransportUnavailable, match="has no tables in the schema nowhere") as refused:
        attachments.attach(f"{prefix}:billing@nowhere", actor="test")
    assert str(refused.value).endswith(".")


def test_tables_in_another_schema_are_named(workers):
    with pytest.raises(TransportUnavailable, match="on the search path") as refused:
        attachments.attach(f"{workers.prefix}:billing", actor="test")
    assert f"Attach {workers.name}" in str(refused.value)


@pytest.mark.parametrize("name", ["@jobs", "billing@", "billing@service:"])
def test_a_name_that_is_none_is_a_sentence(transactional_db, name):
    with pytest.raises(UnknownQueue, match=r"^Write "):
        attachments.attach(f"procrastinate:{name}", actor="test")


def test_a_service_that_is_not_there_is_a_sentence(transactional_db):
    with pytest.raises(TransportUnavailable, match=r"^pgqueuer at the service nowhere: "):
        attachments.attach("pgqueuer:billing@service:nowhere", actor="test")


def test_an_old_procrastinate_is_a_sentence(procrastinate):
    function = f"{procrastinate.schema}.procrastinate_retry_job_v2"
    execute(f"ALTER FUNCTION {function} RENAME TO procrastinate_old")
    try:
        with pytest.raises(TransportUnavailable, match=r"cannot retry failed jobs: procrastinate 3\.4"):
            attachments.attach(procrastinate.name, actor="test")
    finally:
        execute(
            f"ALTER FUNCTION {procrastinate.schema}.procrastinate_old RENAME TO procrastinate_retry_job_v2"
        )


def test_nobody_claims_a_job(workers, attached):
    transport, _queue = registry.transport_of(workers.name)
    assert transport.not_claimed == f"{workers.prefix}'s own workers run its jobs."
    [listed] = attachments.attachments(None)
    assert (listed.problem, listed.metrics.visible) == ("", 0)
    workers.add({"n": 1})
    [listed] = attachments.attachments(None)
    assert listed.metrics.visible == 1


def test_the_queue_s_page_says_who_runs_its_jobs(workers, attached, viewer):
    page = viewer.get(f"/queues/{attached.name}/").content.decode()
    assert "own workers run its jobs" in page


class TestGrants:
    """The grants of docs/job-tables.md, given to the product's own role."""

    @pytest.fixture(params=ALL, ids=lambda workers: workers.prefix)
    def there(self, request, emptied):
        """The tables in the database of the roles."""
        workers = request.param
        owner = emptied.owner()
        owner.execute(f"CREATE SCHEMA {workers.schema}")
        owner.execute(f"SET search_path = {workers.schema}")
        owner.execute(workers.sql())
        owner.execute("RESET search_path")
        with emptied.as_role("app"):
            yield workers, owner, emptied.role("app").as_string(owner)
        owner.execute(f"DROP SCHEMA {workers.schema} CASCADE")
        owner.execute("DELETE FROM attached_queues")
        owner.execute("DELETE FROM source_positions")
        emptied.empty()

    def grants(self, workers, app):
        page = Path("docs/job-tables.md").read_text()
        for part in page.split("```sql")[1:]:
            text = part.partition("```")[0]
            if f"ON {workers.prefix}" in text:
                return text.replace("dlq_app", app).replace("SCHEMA jobs", f"SCHEMA {workers.schema}")
        raise AssertionError(workers.prefix)

    def test_they_are_enough(self, there):
        workers, owner, app = there
        owner.execute(f"SET search_path = {workers.schema}")
        owner.execute(self.grants(workers, app))
        owner.execute("RESET search_path")
        attachments.attach(workers.name, actor="user:1")
        for statement in workers.fill_sql(1):
            owner.execute(statement)
        assert sum(relay.run_once()["dead-lettered"] for _ in range(2)) == 1
        execute("SELECT dead_letter_revive(id) FROM dlq_events")
        counts = relay.run_once()
        assert (counts["forwarded"], counts["failed"]) == (1, 0)
        assert DeadLetter.objects.get().status == "REVIVED"

    def test_none_is_a_sentence(self, there):
        workers, _owner, _app = there
        with pytest.raises(EngineError, match=r"Give its role the grants of docs/job-tables\.md\.$"):
            attachments.attach(workers.name, actor="user:1")

    def test_who_may_only_read_still_adopts_and_says_why_nothing_is_retried(self, there, caplog):
        workers, owner, app = there
        owner.execute(f"GRANT USAGE ON SCHEMA {workers.schema} TO {app}")
        owner.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA {workers.schema} TO {app}")
        attachments.attach(workers.name, actor="user:1")
        for statement in workers.fill_sql(1):
            owner.execute(statement)
        assert sum(relay.run_once()["dead-lettered"] for _ in range(2)) == 1
        execute("SELECT dead_letter_revive(id) FROM dlq_events")
        assert relay.run_once()["failed"] == 1
        assert "Give its role the grants of docs/job-tables.md." in caplog.text
        assert DeadLetter.objects.get().status == "REVIVED"
