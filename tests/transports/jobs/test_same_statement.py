"""pgqueuer has no function in the database: our statement is the one of its own client."""

from pgqueuer.adapters.persistence.qb import QueryQueueBuilder

from dlqconsole.transports.sql import sql


def _words(text: str) -> str:
    return " ".join(text.split())


def test_a_retry_is_pgqueuer_s_own_requeue():
    ours = sql("pgqueuer.retry").replace("{jobs}", "pgqueuer").replace("{log}", "pgqueuer_log")
    ours = ours.replace("ARRAY[%(id)s::bigint]", "$1::bigint[]").removesuffix("RETURNING job_id")
    assert _words(ours) == _words(QueryQueueBuilder().build_requeue_jobs_query())
