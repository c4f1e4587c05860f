-- What becomes of a group's state without a person.

-- name: make_missing
-- The rows that a writer left to another one, whose transaction never ended well, and the words that went with the last
-- dead letter of a group that has one again. Who makes one is not waited for.
WITH missing AS MATERIALIZED (
    SELECT touched.id FROM unnest(%(groups)s::bigint[]) touched (id)
    WHERE NOT EXISTS (SELECT FROM failure_groups g WHERE g.id = touched.id AND g.message <> '‹erased›')
), ours AS MATERIALIZED (
    SELECT id FROM missing WHERE pg_try_advisory_xact_lock(1145852244, (id %% 256)::integer)
)
INSERT INTO failure_groups (id, event_type, error_category, error_class, message, frames, fingerprint_version,
    rule_id)
SELECT d.group_id, d.event_type, d.error_category, d.error_class, made.message, made.frames, d.fingerprint_version,
    d.fingerprint_rule_id
FROM ours, LATERAL (SELECT * FROM dlq_events e WHERE e.group_id = ours.id ORDER BY e.status LIMIT 1) d,
    LATERAL dead_letter_classify(d.event_type, d.error_category, true, d.error_reason, d.error_stacktrace) made
ORDER BY d.group_id
ON CONFLICT (id) DO UPDATE SET message = excluded.message, frames = excluded.frames
WHERE failure_groups.message = '‹erased›'

-- name: missing
SELECT DISTINCT c.group_id FROM dead_letter_counts c
WHERE c.letters > 0
    AND NOT EXISTS (SELECT FROM failure_groups g WHERE g.id = c.group_id AND g.message <> '‹erased›')

-- name: regress
-- A dead letter came while the group was being resolved: neither saw the other.
WITH changed AS (
    UPDATE failure_groups g
    SET state = 'regressed', state_changed_at = clock_timestamp(), state_changed_by = 'database'
    WHERE g.id = ANY (ARRAY(
        SELECT l.id FROM failure_groups l
        WHERE l.id = ANY (%(groups)s::bigint[]) AND l.state = 'resolved'
            AND EXISTS (
                SELECT FROM dlq_events d
                WHERE d.group_id = l.id AND d.status = ANY (%(statuses)s) AND d.created_at > l.state_changed_at
            )
        ORDER BY l.id
        FOR UPDATE SKIP LOCKED
    ))
    RETURNING g.id
)
INSERT INTO audit_log (actor, action, target, reason)
SELECT 'database', 'regress', 'group:' || id, /*stored*/ 'It was resolved, and failed again.' FROM changed

-- name: wake
-- A snooze that is over: reading says so at once, this makes it last.
WITH over AS MATERIALIZED (
    SELECT g.id, {over} AS why FROM failure_groups g WHERE g.state = 'snoozed'
), changed AS (
    UPDATE failure_groups g
    SET state = 'open', state_changed_at = clock_timestamp(), state_changed_by = 'database'
    WHERE g.id = ANY (ARRAY(
        SELECT l.id FROM failure_groups l
        WHERE l.id = ANY (ARRAY(SELECT id FROM over WHERE why <> '')) AND l.state = 'snoozed'
        ORDER BY l.id
        FOR UPDATE SKIP LOCKED
    ))
    RETURNING g.id
)
INSERT INTO audit_log (actor, action, target, reason)
SELECT 'database', 'wake', 'group:' || c.id, format(/*stored: why_sentence*/ 'The snooze is over: %%s', o.why) FROM changed c JOIN over o ON o.id = c.id

-- name: over
-- Why the snooze of the group g is over; empty while it lasts.
CASE
    WHEN g.snoozed_until <= clock_timestamp() THEN /*stored*/ 'its time has come.'
    WHEN g.snoozed_to_occurrences <= (
        SELECT sum(t.occurrences) FROM dead_letter_totals t WHERE t.group_id = g.id
    ) THEN /*stored*/ 'it failed as often as was allowed.'
    WHEN g.snoozed_below_rate < (
        SELECT max(hourly.letters) FROM (
            SELECT sum(t.letters) AS letters FROM dead_letter_trend t
            WHERE t.group_id = g.id AND t.hour >= date_trunc('hour', g.state_changed_at, 'UTC')
                AND t.hour >= date_trunc('hour', now(), 'UTC') - interval '1 hour'
            GROUP BY t.hour
        ) hourly
    ) THEN /*stored*/ 'more came in an hour than was allowed.'
    ELSE ''
END
