"""Closed dead letters of long ago, and the archive job in this process."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from dlqconsole.contrib.archive.job.job import Archiving, archive
from tests.pipeline import conftest as pipeline

# its fixtures
command, database_url = pipeline.command, pipeline.database_url
pipeline_settings, rows = pipeline.pipeline_settings, pipeline.rows


@pytest.fixture
def folder(tmp_path) -> Path:
    return tmp_path / "archive"


@pytest.fixture
def archiving(folder) -> Archiving:
    return Archiving(folder, after_days=90)


@pytest.fixture
def run_archive(pipeline_settings, archiving) -> Callable[..., int]:
    """run_archive(keep_days=30) runs the job with these lengths."""

    def run(**changed: object) -> int:
        asked = {name: changed.pop(name) for name in ("older_than", "dry_run") if name in changed}
        return archive(pipeline_settings, replace(archiving, **changed), **asked)

    return run


@pytest.fixture
def old_letters(rows) -> Callable[..., None]:
    """old_letters(n) makes so many closed dead letters of a year ago, with attempts and versions."""

    def make(number: int, event_type: str = "order.created", days: int = 365) -> None:
        rows(MAKE.format(number=number, days=days), event_type)
        rows(ATTEMPTS)
        rows(VERSIONS)

    return make


MAKE = """
INSERT INTO dlq_events (event_type, payload, headers, error_reason, error_stacktrace, status, source,
    source_key, created_at, updated_at, dead_lettered_at, first_failure_at, last_failure_at, retry_after)
SELECT %s, jsonb_build_object('n', n, 'price', 1.50), '{{"a": "b"}}', 'ValueError: no ' || n, 'Traceback',
    CASE n %% 2 WHEN 0 THEN 'SUCCEEDED' ELSE 'DISCARDED' END, 'test', gen_random_uuid()::text,
    at, at, at, at, at, at
FROM generate_series(1, {number}) n, LATERAL (
    SELECT now() - interval '{days} days' + n * interval '1 microsecond' AS at) moment
"""
ATTEMPTS = """
INSERT INTO dlq_attempts (dlq_event_id, kind, worker, outcome, error_reason, error_stacktrace)
SELECT id, 'schedule', 'w1', 'failed', 'ValueError: again', 'Trace' FROM dlq_events d
WHERE NOT EXISTS (SELECT FROM dlq_attempts a WHERE a.dlq_event_id = d.id)
"""
VERSIONS = """
INSERT INTO payload_versions (dlq_event_id, number, payload, payload_raw, headers, actor)
SELECT id, v, 'null'::jsonb, '\\x00ff', '{"h": 1.0}', 'user:1' FROM dlq_events d, generate_series(0, 1) v
WHERE id % 3 = 0 AND NOT EXISTS (SELECT FROM payload_versions p WHERE p.dlq_event_id = d.id)
"""
