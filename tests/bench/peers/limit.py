"""The machine's own limit: the same writes by pgbench and COPY on bare tables, which promise nothing."""

import re
import subprocess
import time
from typing import TYPE_CHECKING

import psycopg

from tests.bench.timing import payloads

if TYPE_CHECKING:
    from tests.bench.crew import Crew

NOTE = "x" * 150
MESSAGE = f"""jsonb_build_object('order_id', 1, 'customer', 'c1', 'note', '{NOTE}')"""
INSERT = f"INSERT INTO bare_log (queue, payload) VALUES ('bench', {MESSAGE});"
INSERT_MANY = f"INSERT INTO bare_log (queue, payload) SELECT 'bench', {MESSAGE} FROM generate_series(1, 100);"
# two statements, two flushes: the next ones, skipping what others take, and then away with them
CLAIM_AND_DELETE = """WITH claimed AS (
    UPDATE bare_queue SET status = 'claimed', lease_until = now() + interval '1 minute'
    WHERE id = ANY (ARRAY(
        SELECT id FROM bare_queue WHERE queue = 'bench' AND status = 'pending'
        ORDER BY id LIMIT {batch} FOR UPDATE SKIP LOCKED
    )) RETURNING id, payload
) SELECT array_agg(id) AS ids, count(payload) AS payloads FROM claimed \\gset
DELETE FROM bare_queue WHERE id = ANY (CAST(:ids AS bigint[]));
"""


def rate(crew: "Crew", do: str, number: int, *, batch: int, seconds: float, warm: float) -> float:
    """Messages a second; ``warm`` is not needed, pgbench does not count its connecting."""
    if do == "drain":
        before = crew.stock.count("bare_queue")
        elapsed = pgbench(crew, CLAIM_AND_DELETE.format(batch=batch), number, seconds)[1]
        return (before - crew.stock.count("bare_queue")) / elapsed
    if batch > 100:
        return copy(crew.url, batch, seconds)
    return pgbench(crew, INSERT if batch == 1 else INSERT_MANY, number, seconds)[0] * batch


def pgbench(crew: "Crew", script: str, clients: int, seconds: float) -> tuple[float, float]:
    """Transactions a second, and the seconds they took."""
    file = crew.server.home / "script.sql"
    file.write_text(script)
    # it counts in whole seconds; a smoke test wants less
    length = ["-t", "20"] if seconds < 0.5 else ["-T", str(max(1, round(seconds)))]
    options = ["-n", "-M", "prepared", "-c", str(clients), "-j", str(min(2, clients)), *length]
    done = subprocess.run(
        [crew.server.program("pgbench"), *options, "-f", str(file), crew.url],
        capture_output=True,
        text=True,
        start_new_session=True,
    )
    if done.returncode:
        raise RuntimeError(f"pgbench failed: {done.stderr}")
    speed = float(re.search(r"tps = ([0-9.]+)", done.stdout)[1])
    return speed, int(re.search(r"processed: ([0-9]+)", done.stdout)[1]) / speed


def copy(url: str, batch: int, seconds: float) -> float:
    """COPY of ready-made rows, so many a transaction, into the bare table with both indexes."""
    rows = "".join(f"bench\t{text}\n" for text in payloads(batch)).encode()
    done, begun = 0, time.monotonic()
    with psycopg.connect(url, autocommit=True) as connection, connection.cursor() as cursor:
        while time.monotonic() < begun + seconds:
            with cursor.copy("COPY bare_queue (queue, payload) FROM STDIN") as writer:
                writer.write(rows)
            done += batch
        return done / (time.monotonic() - begun)
