-- Why a dead letter is where it is, and what a rule would change.

-- name: explain
-- The row as it stands, and what the classification makes of it now.
SELECT d.id, d.event_type, d.error_category, d.said_category, d.category_rule_id, d.error_class,
    split_part(ltrim(left(d.error_reason, 600), E' \t\r\n'), E'\n', 1) AS original, d.group_id, d.fingerprint_id,
    d.fingerprint_version, d.fingerprint_rule_id, made.message, made.frames, made.group_id AS now_group_id,
    made.category AS now_category, category_rule.name AS category_rule, fingerprint_rule.name AS fingerprint_rule,
    fingerprint_rule.fingerprint AS fingerprint_words, m.actor AS merged_by, m.reason AS merged_because,
    m.created_at AS merged_at, m.group_id AS merged_into
FROM dlq_events d
CROSS JOIN LATERAL dead_letter_classify(
    d.event_type, coalesce(d.said_category, d.error_category), d.category_rule_id IS NULL AND d.said_category IS NOT NULL,
    d.error_reason, d.error_stacktrace) made
LEFT JOIN failure_rules category_rule ON category_rule.id = d.category_rule_id
LEFT JOIN failure_rules fingerprint_rule ON fingerprint_rule.id = d.fingerprint_rule_id
LEFT JOIN group_merges m ON m.fingerprint_id = d.fingerprint_id AND m.group_id <> m.fingerprint_id
WHERE d.id = %(id)s

-- name: newest_of_group
-- The newest of one of its states will do: the index of groups gives it at once.
SELECT id FROM dlq_events WHERE group_id = %(group)s AND {letters} ORDER BY group_id, status, created_at DESC LIMIT 1

-- name: trial
-- What the rules as this transaction sees them would change among the newest dead letters, on account of one rule.
WITH newest AS MATERIALIZED (
    SELECT id, event_type, error_category, said_category, error_reason, error_stacktrace, group_id, category_rule_id,
        fingerprint_rule_id
    FROM dlq_events ORDER BY created_at DESC, id DESC LIMIT %(limit)s
), judged AS MATERIALIZED (
    SELECT n.id, n.event_type, n.error_category, n.group_id, left(n.error_reason, 600) AS error_reason, made.category,
        made.group_id AS to_group, made.message
    FROM newest n CROSS JOIN LATERAL dead_letter_classify(
        n.event_type, coalesce(n.said_category, n.error_category), false, n.error_reason, n.error_stacktrace) made
    WHERE %(rule)s IN (made.category_rule_id, made.fingerprint_rule_id, n.category_rule_id, n.fingerprint_rule_id)
), changed AS MATERIALIZED (
    SELECT * FROM judged j WHERE j.category <> j.error_category OR j.to_group <> j.group_id
)
SELECT (SELECT count(*) FROM newest) AS looked, (SELECT count(*) FROM judged) AS matched, count(*) AS changed,
    count(*) FILTER (WHERE category <> error_category) AS category_changed,
    count(*) FILTER (WHERE to_group <> group_id) AS group_changed,
    count(DISTINCT group_id) FILTER (WHERE to_group <> group_id) AS groups_before,
    count(DISTINCT to_group) FILTER (WHERE to_group <> group_id) AS groups_after,
    coalesce((
        SELECT jsonb_agg(jsonb_build_object('id', s.id, 'event_type', s.event_type, 'reason', s.error_reason,
            'category', s.error_category, 'to_category', s.category, 'message', coalesce(g.message, ''),
            'to_message', s.message, 'regrouped', s.to_group <> s.group_id) ORDER BY s.id DESC)
        FROM (SELECT * FROM changed ORDER BY id DESC LIMIT 10) s LEFT JOIN failure_groups g ON g.id = s.group_id
    ), '[]')::text AS sample
FROM changed

-- name: lock_merges
SELECT pg_advisory_xact_lock(hashtextextended('dlqconsole.group_merges', 0))

-- name: lock_rules
SELECT pg_advisory_xact_lock(hashtextextended('dlqconsole.' || %(table)s, 0))
