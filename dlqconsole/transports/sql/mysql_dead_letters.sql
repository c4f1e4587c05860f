-- These run in PostgreSQL. A MySQL message leaves its queue after its dead letter is committed, so the same message
-- may come here again, when its consumer died in between.

-- name: alone
-- Whoever handles the same message at the same time waits here until the other has committed.
SELECT pg_advisory_xact_lock(hashtextextended(%(message)s, 0))

-- name: recall
-- known: the dead letter that this very message left before. taken: a dead letter has this source and key.
SELECT (
        SELECT min(d.id) FROM dlq_events d
        WHERE (d.id = %(dlq_event_id)s
                OR (d.source = %(source)s AND d.source_key IN (%(source_key)s, %(source_key_again)s)))
            AND EXISTS (
                SELECT 1 FROM dlq_attempts a
                WHERE a.dlq_event_id = d.id AND starts_with(a.worker, %(message)s)
            )
    ) AS known,
    EXISTS (SELECT 1 FROM dlq_events WHERE source = %(source)s AND source_key = %(source_key)s) AS taken,
    clock_timestamp() - make_interval(secs => %(held_seconds)s) AS failed_at
