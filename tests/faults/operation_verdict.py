"""What operations came to under faults: every number on a receipt against the rows themselves.

``sent`` has every message that a revival ever put on a queue, ``calls`` every call of a handler, ``before``
what each dead letter was at the beginning.
"""

from dataclasses import dataclass

import psycopg

from tests.faults.letters import AS_IT_IS

OVER = "SELECT NOT EXISTS (SELECT FROM operations WHERE status IN ('freezing', 'running', 'cancelling'))"
RELEASED = "SELECT released_at IS NOT NULL FROM operations WHERE id = %s"
RECEIPTS = """
    SELECT o.id, o.kind, o.actor, o.status, o.selected, o.done, o.skipped, o.failed, o.adoptions
    FROM operations o ORDER BY o.id
"""
# Each counts what must not be.
FAULTS = {
    "receipts unlike their items": """
        SELECT count(*) FROM operations o, LATERAL (
            SELECT count(*) AS selected, count(*) FILTER (WHERE status = 'done') AS done,
                count(*) FILTER (WHERE status = 'skipped') AS skipped,
                count(*) FILTER (WHERE status = 'failed') AS failed
            FROM operation_items WHERE operation_id = o.id
        ) i
        WHERE (o.selected, o.done, o.skipped, o.failed)
            IS DISTINCT FROM (i.selected, i.done, i.skipped, i.failed)
    """,
    "completed with items left": """
        SELECT count(*) FROM operations WHERE status = 'completed' AND selected <> done + skipped + failed
    """,
    "receipts unlike the audit log": """
        SELECT count(*) FROM operations o, LATERAL (
            SELECT coalesce(sum((a.detail ->> 'done')::int), 0) AS done,
                coalesce(sum((a.detail ->> 'skipped')::int), 0) AS skipped,
                coalesce(sum((a.detail ->> 'failed')::int), 0) AS failed
            FROM audit_log a WHERE a.operation_id = o.id AND a.action = o.kind
        ) a
        WHERE (o.done, o.skipped, o.failed) IS DISTINCT FROM (a.done, a.skipped, a.failed)
    """,
    "not asked or not ended once": """
        SELECT count(*) FROM operations o, LATERAL (
            SELECT count(*) FILTER (WHERE action = 'request ' || o.kind) AS asked,
                count(*) FILTER (WHERE action = o.status) AS ended
            FROM audit_log WHERE operation_id = o.id
        ) a
        WHERE asked <> 1 OR o.status IN ('completed', 'cancelled') AND ended <> 1
    """,
    "stuck": """
        SELECT count(*) FROM operations
        WHERE status IN ('freezing', 'awaiting', 'running', 'paused', 'cancelling') OR lease_token IS NOT NULL
            OR undo_until < clock_timestamp() AND released_at IS NULL
    """,
    "selected though too late": """
        SELECT count(*) FROM operation_items i JOIN operations o ON o.id = i.operation_id
        WHERE i.dead_letter_id > o.cutoff_id
    """,
    "revived without a message": """
        SELECT count(*) FROM operation_items i JOIN operations o ON o.id = i.operation_id
        WHERE o.kind = 'revive' AND i.status = 'done' AND NOT EXISTS (
            SELECT FROM sent s WHERE s.message_id = i.message_id AND s.dead_letter_id = i.dead_letter_id
                AND s.revive_seq = i.revive_seq)
    """,
    "messages of no item, or of two": """
        SELECT count(*) FROM (
            SELECT s.message_id FROM sent s
            LEFT JOIN operation_items i ON i.dead_letter_id = s.dead_letter_id AND i.message_id = s.message_id
                AND i.revive_seq = s.revive_seq AND i.status = 'done'
            GROUP BY s.message_id HAVING count(i.dead_letter_id) <> 1
        ) wrong
    """,
    "revivals with two messages": """
        SELECT count(*) FROM (
            SELECT FROM sent s WHERE NOT EXISTS (SELECT FROM taken_back t WHERE t.message_id = s.message_id)
            GROUP BY s.dead_letter_id, s.revive_seq HAVING count(*) > 1
        ) doubled
    """,
    "messages lost or handled twice": """
        SELECT count(*) FROM (SELECT dead_letter_id AS id, count(*) AS sent FROM sent GROUP BY 1) s
        LEFT JOIN (SELECT dlq_event_id AS id, count(*) AS waiting FROM message_queue GROUP BY 1) m USING (id)
        LEFT JOIN tried a USING (id)
        LEFT JOIN (SELECT id, count(*) AS pulled FROM taken_back GROUP BY 1) t USING (id)
        WHERE s.sent <> coalesce(m.waiting, 0) + coalesce(a.tried, 0) + coalesce(t.pulled, 0)
    """,
    "handlers called too often or never": """
        SELECT count(*) FROM dlq_events e
        LEFT JOIN tried a USING (id)
        LEFT JOIN (SELECT message, count(*) AS called FROM calls WHERE key = 'ended' GROUP BY 1) c
            ON c.message = e.source_key
        WHERE e.payload IS NOT NULL AND coalesce(a.tried, 0) <> coalesce(c.called, 0)
    """,
    "revive counts unlike messages": """
        SELECT count(*) FROM dlq_events e
        LEFT JOIN (
            SELECT s.dead_letter_id AS id, count(*) AS sent FROM sent s
            WHERE NOT EXISTS (SELECT FROM taken_back t WHERE t.message_id = s.message_id) GROUP BY 1
        ) s USING (id)
        WHERE e.revive_count <> coalesce(s.sent, 0)
    """,
    "REVIVED without a message": """
        SELECT count(*) FROM dlq_events e WHERE e.status = 'REVIVED' AND NOT EXISTS (
            SELECT FROM message_queue m WHERE m.dlq_event_id = e.id AND m.revive_seq = e.revive_count)
    """,
    "messages of what is not REVIVED": """
        SELECT count(*) FROM message_queue m JOIN dlq_events e ON e.id = m.dlq_event_id
        WHERE e.status <> 'REVIVED' OR e.revive_count <> m.revive_seq
    """,
    "DISCARDED by nobody, or not at all": """
        SELECT count(*) FROM dlq_events e JOIN before b USING (id)
        LEFT JOIN (
            SELECT i.dead_letter_id AS id, count(*) AS discarded FROM operation_items i
            JOIN operations o ON o.id = i.operation_id AND o.kind = 'discard'
            WHERE i.status = 'done' GROUP BY 1
        ) d USING (id)
        WHERE (e.status = 'DISCARDED') <> (b.status = 'DISCARDED' OR d.discarded = 1)
    """,
    "skipped without saying who": """
        SELECT count(*) FROM operation_items i JOIN before b ON b.id = i.dead_letter_id
        JOIN operations o ON o.id = i.operation_id
        WHERE i.status = 'skipped' AND o.kind <> 'undo'
            AND b.status IN ('PENDING', 'EXHAUSTED', 'QUARANTINED')
            AND NOT EXISTS (
                SELECT FROM operation_items other
                WHERE other.dead_letter_id = i.dead_letter_id AND other.operation_id <> i.operation_id
                    AND other.status = 'done'
                    AND (i.reason LIKE '%(operation ' || other.operation_id || ')'
                        OR i.reason = 'has already SUCCEEDED'
                        -- revived by the other one, it has failed again in another way
                        OR other.message_id IS NOT NULL AND i.reason IN (
                            SELECT concat(
                                'changed since the list was made: it was ', i.frozen_status, ', it is ', now)
                            FROM unnest(ARRAY['PENDING', 'EXHAUSTED', 'QUARANTINED']) now
                            WHERE now <> i.frozen_status))
            )
    """,
    "failed without the database's words": """
        SELECT count(*) FROM operation_items WHERE status = 'failed' AND reason NOT LIKE 'message % is poison'
    """,
    "changed without an item": """
        SELECT count(*) FROM dlq_events e JOIN before b USING (id)
        WHERE NOT EXISTS (SELECT FROM operation_items i WHERE i.dead_letter_id = e.id AND i.status = 'done')
            AND {as_it_is} <> b.whole
    """,
}
VIEWS = """
    CREATE TEMPORARY VIEW tried AS
    SELECT dlq_event_id AS id, count(DISTINCT message) AS tried FROM dlq_attempts
    WHERE kind = 'revive' AND dlq_event_id IS NOT NULL
        AND NOT EXISTS (SELECT FROM message_queue m WHERE m.queue || '/' || m.id = message) GROUP BY 1;
    CREATE TEMPORARY VIEW taken_back AS
    SELECT i.dead_letter_id AS id, s.message_id
    FROM operation_items i
    JOIN operations o ON o.id = i.operation_id AND o.kind = 'undo'
    JOIN operation_items s ON s.operation_id = o.source_operation_id AND s.dead_letter_id = i.dead_letter_id
    WHERE i.status = 'done'
"""


@dataclass(frozen=True)
class Receipt:
    """The numbers that an operation shows."""

    id: int
    kind: str
    actor: str
    status: str
    selected: int
    done: int
    skipped: int
    failed: int
    adoptions: int

    @property
    def remaining(self) -> int:
        return self.selected - self.done - self.skipped - self.failed

    def __str__(self) -> str:
        numbers = [
            f"{name} {getattr(self, name):,}"
            for name in ("selected", "done", "skipped", "failed", "remaining")
        ]
        return (
            f"{self.id} {self.kind:<8}{self.actor:<7}{self.status:<10}"
            f"{', '.join(numbers)}; adopted {self.adoptions}"
        )


@dataclass(frozen=True)
class OperationVerdict:
    """The receipts, and how often each thing happened that must not."""

    operations: dict[int, Receipt]
    faults: dict[str, int]
    sent: int
    calls: int

    @property
    def faultless(self) -> bool:
        return not any(self.faults.values())

    def __str__(self) -> str:
        lines = [f"  operation {receipt}" for receipt in self.operations.values()]
        lines += [f"  {name:<36}{number:>10,}" for name, number in self.faults.items()]
        return "\n".join(
            [
                *lines,
                f"  {'messages ever sent':<36}{self.sent:>10,}",
                f"  {'handler calls':<36}{self.calls:>10,}",
            ]
        )


def judge_operations(session: psycopg.Connection) -> OperationVerdict:
    """Compare every receipt with the rows."""

    def one(query: str) -> int:
        return int(session.execute(query).fetchone()[0])

    session.execute("ANALYZE")
    session.execute("DROP VIEW IF EXISTS tried, taken_back")
    session.execute(VIEWS)
    return OperationVerdict(
        operations={row[0]: Receipt(*row) for row in session.execute(RECEIPTS)},
        faults={name: one(query.replace("{as_it_is}", AS_IT_IS)) for name, query in FAULTS.items()},
        sent=one("SELECT count(*) FROM sent"),
        calls=one("SELECT count(*) FROM calls"),
    )
