"""One bare set-based statement: the same writes, in the same tables, with all their triggers and indexes.

It locks, it cannot be paused, cancelled or adopted, and nothing is there before everything is.
"""

import time

import psycopg

# what an operation's row must have; the counts grow in the statement
ASK = """INSERT INTO operations (request_key, kind, actor, reason, scope, expected, cutoff_id, status)
    VALUES (gen_random_uuid(), %s, 'bench', 'to measure it', 'filter', 0, 0, 'running') RETURNING id"""
FREEZE = """INSERT INTO operation_items (operation_id, dead_letter_id, group_id)
    SELECT %(id)s, id, group_id FROM dlq_events"""
SETTLE = """settled AS (
    UPDATE operation_items i
    SET status = 'done', message_id = o.message_id, revive_seq = o.revive_seq, was = o.was
    FROM outcomes o WHERE i.operation_id = %(id)s AND i.dead_letter_id = o.id
    RETURNING i.dead_letter_id
), counted AS (
    UPDATE operations SET selected = n, done = n, status = 'completed'
    FROM (SELECT count(*) AS n FROM settled) s WHERE id = %(id)s
)
INSERT INTO audit_log (actor, action, target, operation_id, reason, detail)
SELECT 'bench', 'measure', 'operation:' || %(id)s, %(id)s, 'to measure it',
    jsonb_build_object('done', count(*))
FROM settled"""
REVIVE = f"""WITH revived AS (
    UPDATE dlq_events
    SET status = 'REVIVED', revive_count = revive_count + 1, revived_at = clock_timestamp(),
        operation_id = %(id)s
    WHERE status IN ('PENDING', 'EXHAUSTED', 'QUARANTINED')
    RETURNING new.*, jsonb_build_object('status', old.status, 'revived_at', old.revived_at) AS was
), sent AS (
    INSERT INTO message_queue (queue, payload, payload_raw, headers, group_key, dlq_event_id, revive_seq,
        status)
    SELECT coalesce(nullif(queue, ''), event_type), payload, payload_raw,
        revive_headers(headers, event_type, source, source_key, payload), group_key, id, revive_count,
        'held'
    FROM revived
    RETURNING id, dlq_event_id, revive_seq
), outcomes AS (
    SELECT r.id, s.id AS message_id, s.revive_seq, r.was FROM sent s JOIN revived r ON r.id = s.dlq_event_id
), {SETTLE}"""
DISCARD = f"""WITH moved AS (
    UPDATE dlq_events SET status = 'DISCARDED', operation_id = %(id)s
    WHERE status IN ('PENDING', 'EXHAUSTED', 'QUARANTINED')
    RETURNING new.id, jsonb_build_object('status', old.status) AS was
), outcomes AS (
    SELECT id, NULL::bigint AS message_id, NULL::integer AS revive_seq, was FROM moved
), {SETTLE}"""
WORK = {"revive": REVIVE, "discard": DISCARD}


class Peer:
    def __init__(self, url: str) -> None:
        self.connection = psycopg.connect(url, autocommit=True)
        # a server that is set up for such statements
        self.connection.execute("SET work_mem = '64MB'; SET jit = off")

    def freeze(self, kind: str) -> dict[str, float]:
        """Make the selection: one INSERT … SELECT."""
        (operation,) = self.connection.execute(ASK, (kind,)).fetchone()
        return {"operation": operation, "seconds": self._timed(FREEZE, operation)}

    def work(self, kind: str, operation: int) -> float:
        """Do all of it at once; the seconds that took."""
        return self._timed(WORK[kind], operation)

    def _timed(self, statement: str, operation: int) -> float:
        begun = time.monotonic()
        self.connection.execute(statement, {"id": operation})
        return time.monotonic() - begun
