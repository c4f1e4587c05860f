"""What a run with faults came to, by SQL and by the producers' ledgers, in the words of Jepsen's tests.

Every message has a key of its own. It ends in one of two ways: its handler's effect and the engine's record
are there and the message is gone, or it is one dead letter.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path

import psycopg

ENDS = """
    SELECT key, sum(effects), sum(records), sum(letters), sum(living) FROM (
        SELECT key, count(*) AS effects, 0 AS records, 0 AS letters, 0 AS living FROM effects GROUP BY key
        UNION ALL
        SELECT record ->> 'key', 0, count(*), 0, 0 FROM enriched_events GROUP BY 1
        UNION ALL
        SELECT payload ->> 'key', 0, 0, count(*), 0 FROM dlq_events GROUP BY 1
        UNION ALL
        SELECT payload ->> 'key', 0, 0, 0, count(*) FROM message_queue GROUP BY 1
    ) ends GROUP BY key
"""
STUCK = """
    SELECT count(*) FROM message_queue m
    WHERE m.status = 'processing' AND m.lease_until < clock_timestamp()
        OR m.status = 'waiting' AND NOT EXISTS (
            SELECT 1 FROM message_queue e
            WHERE e.queue = m.queue AND e.group_key = m.group_key AND e.id < m.id
        )
"""
# Within a group: whose effect came before that of an earlier one, and whose handler began before the earlier
# one had come to its end (an effect; a dead letter ends with its last call).
DISORDER = """
    WITH called AS (
        SELECT group_key, c.key, (split_part(c.key, '-', 2))::int AS place, min(c.number) AS first,
            max(CASE WHEN e.key IS NULL THEN c.number ELSE 0 END) AS last, min(e.number) AS effect
        FROM calls c LEFT JOIN effects e USING (group_key, key)
        WHERE group_key IS NOT NULL GROUP BY group_key, c.key
    ), beside AS (
        SELECT *, max(first) OVER earlier AS earlier_first, max(effect) OVER earlier AS earlier_effect
        FROM called
        WINDOW earlier AS (PARTITION BY group_key ORDER BY place ROWS UNBOUNDED PRECEDING EXCLUDE CURRENT ROW)
    )
    SELECT count(*) FROM beside WHERE first < earlier_first OR effect < earlier_effect
"""


@dataclass
class Verdict:
    """The counts. All but the first three and ``recovered`` must be nought."""

    attempted: int
    acknowledged: int
    completed: int
    dead_lettered: int
    quarantined: int
    recovered: int
    lost: int
    duplicated: int
    unexpected: int
    half_done: int
    stuck: int
    disordered: int
    calls: int

    @property
    def faultless(self) -> bool:
        """Nothing lost, doubled, stuck, invented, half done or out of order."""
        return not (
            self.lost or self.duplicated or self.unexpected or self.half_done or self.stuck or self.disordered
        )

    @property
    def calls_per_message(self) -> float:
        """How often a handler ran for each message that was there."""
        return self.calls / max(1, self.completed + self.dead_lettered)

    def __str__(self) -> str:
        rows = [(one.name.replace("_", " "), f"{getattr(self, one.name):,}") for one in fields(self)]
        rows.append(("calls per message", f"{self.calls_per_message:.4f}"))
        return "\n".join(f"  {name:<18}{value:>10}" for name, value in rows)


def judge(session: psycopg.Connection, tried: Iterable[str], acknowledged: Iterable[str]) -> Verdict:
    """Compare what producers noted with what the database holds."""
    tried, acknowledged = set(tried), set(acknowledged)
    ends = {row[0]: tuple(int(n) for n in row[1:]) for row in session.execute(ENDS)}
    produced = {row[0] for row in session.execute("SELECT key FROM produced")}

    def one(query: str) -> int:
        return int(session.execute(query).fetchone()[0])

    outcomes = Counter(_outcome(*end) for end in ends.values())
    return Verdict(
        attempted=len(tried),
        acknowledged=len(acknowledged),
        completed=outcomes["completed"],
        dead_lettered=outcomes["dead"],
        quarantined=one("SELECT count(*) FROM dlq_events WHERE status = 'QUARANTINED'"),
        recovered=len(ends.keys() & tried - acknowledged),
        lost=len(acknowledged - ends.keys()),
        duplicated=outcomes["duplicated"],
        unexpected=len(ends.keys() - tried),
        # the producer's own row and the message came and went together; an effect and its record too
        half_done=outcomes["half done"] + (len(produced ^ ends.keys()) if produced else 0),
        stuck=one(STUCK) + outcomes["living"],
        disordered=one(DISORDER),
        calls=one("SELECT count(*) FROM calls"),
    )


def _outcome(effects: int, records: int, letters: int, living: int) -> str:
    if max(effects, records, letters) > 1 or records + letters > 1:
        return "duplicated"
    if living:
        return "living"
    match effects, records, letters:
        case 1, 1, 0:
            return "completed"
        case 0, 0, 1:
            return "dead"
    return "half done"


def read_ledgers(files: Iterable[Path]) -> tuple[list[str], list[str]]:
    """The keys that producers tried to send, and those that they know to be sent."""
    notes: dict[str, list[str]] = {"try": [], "ack": []}
    for file in files:
        for line in file.read_text().splitlines():
            word, _, key = line.partition(" ")
            notes[word].append(key)
    return notes["try"], notes["ack"]
