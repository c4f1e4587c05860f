"""Dead letters by the hundred thousand, of every sort, drawn from a seed; and what they were before."""

import json
import random
from collections.abc import Iterator
from typing import Any

import psycopg

QUEUES = ("order.paid", "order.sent", "order.returned", "parcel.moved")
# part of every reason, and of no reason that a handler gives: what a filter asks for
REASON = "billing was away"
CATEGORIES = ("DEPENDENCY", "TRANSIENT")
_STATES = {"PENDING": 88, "EXHAUSTED": 5, "QUARANTINED": 5, "SUCCEEDED": 1, "DISCARDED": 1}
# of a hundred handled ones these fail for good, or once
_DOING = {"succeed": 93, "refuse": 5, "stumble": 2}
GROUPS = 400

COLUMNS = "event_type, payload, payload_raw, error_reason, error_category, status, group_key, retry_after"
LEDGER = """
    CREATE TABLE sent (
        message_id bigint PRIMARY KEY, dead_letter_id bigint NOT NULL, revive_seq int NOT NULL
    );
    CREATE INDEX ON sent (dead_letter_id);
    CREATE FUNCTION keep_sent() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        INSERT INTO sent SELECT id, dlq_event_id, revive_seq FROM added WHERE dlq_event_id IS NOT NULL;
        RETURN NULL;
    END $$;
    CREATE TRIGGER keep_sent AFTER INSERT ON message_queue
        REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION keep_sent();
"""
# what an operation may overwrite without a trace; the rest must be as it was when nobody has moved it
AS_IT_IS = "md5((to_jsonb(e) - 'version' - 'updated_at' - 'operation_id')::text)"
REFUSAL = """
    CREATE TABLE refused (id bigint PRIMARY KEY);
    CREATE FUNCTION refuse_poison() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF EXISTS (SELECT FROM refused WHERE id = NEW.dlq_event_id) THEN
            RAISE EXCEPTION 'message % is poison', NEW.dlq_event_id;
        END IF;
        RETURN NEW;
    END $$;
    CREATE TRIGGER refuse_poison BEFORE INSERT ON message_queue FOR EACH ROW EXECUTE FUNCTION refuse_poison();
"""


def keep_ledger(session: psycopg.Connection) -> None:
    """From now on every message of a revival leaves a row in ``sent``, whatever becomes of it."""
    session.execute(LEDGER)


def fill(session: psycopg.Connection, draw: random.Random, number: int, **fixed: Any) -> None:
    """So many dead letters, as failing programs would have left them."""
    with (
        session.cursor() as cursor,
        cursor.copy(f"COPY dlq_events ({COLUMNS}) FROM STDIN") as rows,
    ):
        for row in _rows(draw, number, fixed):
            rows.write_row(row)
    session.execute("ANALYZE dlq_events")


def remember(session: psycopg.Connection) -> None:
    """Keep in ``before`` what every dead letter is now."""
    session.execute(f"CREATE TABLE before AS SELECT e.id, e.status, {AS_IT_IS} AS whole FROM dlq_events e")
    session.execute("ALTER TABLE before ADD PRIMARY KEY (id)")


def refuse(session: psycopg.Connection, draw: random.Random, number: int) -> None:
    """So many dead letters that the database will not have revived."""
    session.execute(REFUSAL)
    ids = [row[0] for row in session.execute("SELECT id FROM before WHERE status = 'PENDING' ORDER BY id")]
    for chosen in draw.sample(ids, number):
        session.execute("INSERT INTO refused VALUES (%s)", [chosen])


def _rows(draw: random.Random, number: int, fixed: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
    for place in range(number):
        data = {"place": place, "do": fixed.get("do") or _one_of(draw, _DOING)}
        poison = draw.random() < fixed.get("poison", 0.01)
        yield (
            draw.choice(QUEUES),
            None if poison else json.dumps(data),
            b"\xff\x00{" + draw.randbytes(8) if poison else None,
            f"Down: {REASON} ({draw.randrange(100)})",
            draw.choice(CATEGORIES),
            fixed.get("status") or _one_of(draw, _STATES),
            f"customer-{draw.randrange(GROUPS)}" if draw.random() < 0.2 else None,
            "2099-01-01T00:00:00Z",
        )


def _one_of(draw: random.Random, weights: dict[str, int]) -> str:
    return draw.choices(list(weights), list(weights.values()))[0]
