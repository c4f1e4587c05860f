"""E1: exports of dead letters beside psql's COPY of the same rows, which neither masks nor keeps a file."""

import subprocess
import time

import psycopg

from tests.bench.crew import Crew
from tests.bench.dead_letters import load
from tests.bench.report import Goal, Report, Table
from tests.bench.sections import in_turns

COPY, UNMASKED, MASKED = "psql COPY", "unmasked", "masked"
WITHOUT, WITH = "without personal data", "with e-mail, name and phone"
# each has another one
PERSONAL = """UPDATE dlq_events SET payload = payload || jsonb_build_object('customer', jsonb_build_object(
    'id', id, 'email', 'user' || id || '@example.org', 'firstName', 'Joe' || mod(id, 100),
    'phone', '+49 30 12345' || mod(id, 100)))"""


def measure(crew: Crew, report: Report) -> None:
    """The same dead letters twice, without personal data and with it, by operations."""
    number = crew.size.exported
    table = Table(f"Exports of {number:,} dead letters as CSV, to the file on the receipt", "rows/s")
    with (
        Crew(crew.server, "exports", crew.size) as copy,
        psycopg.connect(copy.url, autocommit=True) as connection,
    ):
        load(connection, number)
        _measure_rows(copy, table, WITHOUT, number)
        connection.execute("SET session_replication_role = replica")
        connection.execute(PERSONAL)
        connection.execute("VACUUM (ANALYZE) dlq_events")
        _measure_rows(copy, table, WITH, number)
    goals = [
        Goal("E1", f"{how}, {rows} / psql COPY", target, table.ratios(rows, how, COPY))
        for rows in (WITHOUT, WITH)
        for how, target in ((MASKED, 0.5), (UNMASKED, 1.0))
    ]
    report.add(table, goals)


def _measure_rows(crew: Crew, table: Table, rows: str, number: int) -> None:
    for _row, system in in_turns([rows], (COPY, UNMASKED, MASKED), crew.size.repetitions):
        if system == COPY:
            seconds = _copy(crew)
        else:
            seconds = crew.ask("exports", "export", number=number, unmasked=system == UNMASKED)
        table.add(rows, system, number / seconds)


def _copy(crew: Crew) -> float:
    """Write the same columns to nowhere; the seconds that took."""
    columns = crew.ask("exports", "columns")
    statement = f"COPY (SELECT {columns} FROM dlq_events ORDER BY id) TO STDOUT"
    begun = time.monotonic()
    command = [crew.server.program("psql"), crew.url, "--quiet", "--command", statement]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return time.monotonic() - begun
