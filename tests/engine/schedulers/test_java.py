"""A retry job in Java by JDBC, unchanged: where there is a compiler and a driver."""

import os
import shutil
import subprocess
from pathlib import Path

import psycopg
import pytest

SOURCE = Path(__file__).parent / "java" / "RetryJob.java"
DRIVERS = sorted(Path.home().glob(".m2/repository/org/postgresql/postgresql/*/postgresql-*.jar"))

pytestmark = pytest.mark.skipif(
    not (DRIVERS and shutil.which("java") and shutil.which("javac")), reason="no Java with a driver here"
)


def java(*command: str, **environment: str) -> str:
    done = subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_its_job_stores_retries_and_settles_as_it_does_with_a_table_of_its_own(world, tmp_path):
    java("javac", "-d", str(tmp_path), str(SOURCE))
    address = psycopg.conninfo.conninfo_to_dict(os.environ["DATABASE_URL"])
    url = f"jdbc:postgresql://{address['host']}:{address['port']}/{world.name}"
    role = world.prefix + "scheduler"
    path, password = f"{tmp_path}:{DRIVERS[-1]}", world.passwords["scheduler"]
    said = java("java", "-cp", path, "RetryJob", url, role, PGPASSWORD=password)
    assert said.count("stored") == 3
    assert said.count("saved 1") == 3
    rows = world.owner().execute(
        "SELECT d.status, d.retry_count, d.occurrences, d.payload_version, a.worker, a.outcome"
        " FROM dlq_events d JOIN dlq_attempts a ON a.dlq_event_id = d.id WHERE a.kind = 'scheduler'"
        " ORDER BY d.id"
    )
    who = f"{role} (PostgreSQL JDBC Driver)"
    failed = ("PENDING", 1, 2, 0, who, "failed")
    assert rows.fetchall() == [("SUCCEEDED", 0, 1, 0, who, "succeeded"), failed, failed]
