-- name: columns
-- A domain is what it is made of.
SELECT a.attname, format_type(coalesce(nullif(t.typbasetype, 0), t.oid), NULL)
FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
WHERE a.attrelid = %(table)s::regclass AND a.attnum > 0 AND NOT a.attisdropped
ORDER BY a.attnum

-- name: alone
-- One archive job at a time: held by the session.
SELECT pg_try_advisory_lock(hashtextextended('dlqconsole.pipeline.archive', 0))

-- name: known
-- The database's id, and how many files of its own lie in the archive's folder, or did.
SELECT (SELECT id FROM archive_identity), (SELECT count(*) FROM archive_files WHERE state <> 'gone')

-- name: make_identity
INSERT INTO archive_identity DEFAULT VALUES ON CONFLICT DO NOTHING

-- name: identity
SELECT id FROM archive_identity

-- name: canonical
-- JSON of a row's own tables is text that two sessions must write alike.
SELECT set_config('timezone', 'UTC', false), set_config('bytea_output', 'hex', false),
    set_config('lock_timeout', '10s', false)

-- name: dead_letters_days
-- What is closed, unchanged for so many days, and did not come back from the archive since, by day and type. created_at is
-- never later than updated_at, and has the index.
SELECT (created_at AT TIME ZONE 'UTC')::date AS day, event_type, count(*)
FROM dlq_events t
WHERE status IN ('SUCCEEDED', 'DISCARDED')
    AND created_at < clock_timestamp() - make_interval(days => %(days)s)
    AND updated_at < clock_timestamp() - make_interval(days => %(days)s)
    AND NOT EXISTS (
        SELECT FROM restored_dead_letters r
        WHERE r.dead_letter_id = t.id AND r.restored_at >= clock_timestamp() - make_interval(days => %(days)s)
    )
GROUP BY 1, 2 ORDER BY 1, 2

-- name: dead_letters_chosen
-- The next of a day and a type.
SELECT created_at, id FROM dlq_events t
WHERE event_type = %(event_type)s
    AND created_at >= %(day)s::date::timestamp AT TIME ZONE 'UTC'
    AND created_at < (%(day)s::date + 1)::timestamp AT TIME ZONE 'UTC'
    AND (created_at, id) > (%(created_at)s, %(id)s)
    AND status IN ('SUCCEEDED', 'DISCARDED')
    AND updated_at < clock_timestamp() - make_interval(days => %(days)s)
    AND NOT EXISTS (
        SELECT FROM restored_dead_letters r
        WHERE r.dead_letter_id = t.id AND r.restored_at >= clock_timestamp() - make_interval(days => %(days)s)
    )
ORDER BY created_at, id LIMIT %(limit)s

-- name: enriched_events_days
-- A moment that no reader of files can hold stays where it is.
SELECT (created_at AT TIME ZONE 'UTC')::date AS day, event_type, count(*)
FROM enriched_events
WHERE created_at < clock_timestamp() - make_interval(days => %(days)s)
    AND (occurred_at IS NULL OR occurred_at BETWEEN '1900-01-01Z' AND '9999-01-01Z')
    AND created_at > '1900-01-01Z'
GROUP BY 1, 2 ORDER BY 1, 2

-- name: enriched_events_chosen
SELECT created_at, id FROM enriched_events
WHERE event_type = %(event_type)s
    AND created_at >= %(day)s::date::timestamp AT TIME ZONE 'UTC'
    AND created_at < (%(day)s::date + 1)::timestamp AT TIME ZONE 'UTC'
    AND created_at < clock_timestamp() - make_interval(days => %(days)s)
    AND (created_at, id) > (%(created_at)s, %(id)s)
    AND (occurred_at IS NULL OR occurred_at BETWEEN '1900-01-01Z' AND '9999-01-01Z')
ORDER BY created_at, id LIMIT %(limit)s

-- name: rows
SELECT {row} FROM {table} t WHERE t.id = ANY (%(ids)s) ORDER BY t.id

-- name: locked
SELECT count(*) FROM (SELECT FROM {table} t WHERE t.id = ANY (%(ids)s) ORDER BY t.id FOR UPDATE) locked

-- name: checksum
-- Of the rows as they stand now, in any order: what the file must come to.
SELECT count(*), coalesce(sum(
    ('x' || encode(substr(sha256(convert_to(to_json({row})::text, 'UTF8')), 1, 8), 'hex'))::bit(64)::bigint
), 0)::text
FROM {table} t WHERE t.id = ANY (%(ids)s)

-- name: dead_letters_counts
INSERT INTO archive_counts (file_id, queue, status, rows)
SELECT %(file)s, coalesce(queue, event_type), status, count(*) FROM dlq_events WHERE id = ANY (%(ids)s)
GROUP BY 2, 3

-- name: enriched_events_counts
INSERT INTO archive_counts (file_id, queue, status, rows)
SELECT %(file)s, event_type, '', count(*) FROM enriched_events WHERE id = ANY (%(ids)s) GROUP BY 2

-- name: remove
DELETE FROM {table} WHERE {reference} = ANY (%(ids)s)

-- name: begin_file
-- Committed before anything is written: whatever a dead run leaves behind is known by it.
INSERT INTO archive_files (kind, day, event_type, path)
VALUES (%(kind)s, %(day)s, %(event_type)s, gen_random_uuid()::text) RETURNING id

-- name: name_file
UPDATE archive_files SET path = %(path)s WHERE id = %(file)s

-- name: keep_file
UPDATE archive_files
SET state = 'kept', rows = %(rows)s, ids = int8range(%(first)s, %(last)s, '[]'), checksum = %(checksum)s,
    sha256 = %(sha256)s, bytes = %(bytes)s, keys = %(keys)s, schema_version = %(version)s, archived_at = clock_timestamp()
WHERE id = %(file)s AND state = 'writing'
RETURNING id

-- name: audit
INSERT INTO audit_log (actor, action, target, reason, detail)
VALUES (%(actor)s, %(action)s, %(target)s, %(reason)s, %(detail)s::jsonb)

-- name: forget_file
DELETE FROM archive_files WHERE id = %(file)s AND state = 'writing'

-- name: unfinished
-- Nobody writes them any more: the one archive job is the caller, and whoever takes a row out of a file holds both rows.
SELECT id, path FROM archive_files WHERE state = 'writing' ORDER BY id FOR UPDATE SKIP LOCKED

-- name: known_paths
SELECT path FROM archive_files WHERE state <> 'gone'

-- name: outlived
UPDATE archive_files SET state = 'leaving', keys = ''
WHERE state = 'kept' AND archived_at < clock_timestamp() - make_interval(days => %(days)s)
RETURNING id, kind, rows, sha256

-- name: leaving
SELECT id, path FROM archive_files WHERE state = 'leaving' ORDER BY id

-- name: gone
UPDATE archive_files SET state = 'gone', gone_at = clock_timestamp() WHERE id = %(file)s

-- name: held_file
-- The file a row is taken out of, and the one that takes its place: held until both are changed.
SELECT f.path, f.kind, f.day, f.event_type, f.rows, f.checksum, f.sha256 FROM archive_files f
WHERE f.id = %(file)s AND f.state = 'kept' FOR UPDATE

-- name: hold_writing
SELECT id FROM archive_files WHERE id = %(file)s AND state = 'writing' FOR UPDATE

-- name: leave_file
UPDATE archive_files SET state = 'leaving', keys = '' WHERE id = %(file)s

-- name: carry_counts
-- All that the old file held but what was taken.
INSERT INTO archive_counts (file_id, queue, status, rows)
SELECT %(file)s, c.queue, c.status, c.rows - gone.rows
FROM archive_counts c CROSS JOIN LATERAL (
    SELECT count(*) AS rows FROM unnest(%(queues)s::text[], %(statuses)s::text[]) t (queue, status)
    WHERE t.queue = c.queue AND t.status = c.status
) gone
WHERE c.file_id = %(old)s AND c.rows > gone.rows

-- name: forget_counts
DELETE FROM archive_counts WHERE file_id = %(file)s

-- name: put_back
INSERT INTO {table} ({columns}) SELECT {values} FROM (SELECT %(texts)s::text[] AS t) given

-- name: restored
-- It alone may be born closed (dlq_events_complete), and is left alone for a while.
INSERT INTO restored_dead_letters (dead_letter_id, file_id, restored_at, restored_by)
VALUES (%(id)s, %(file)s, clock_timestamp(), %(actor)s)
ON CONFLICT (dead_letter_id) DO UPDATE
SET file_id = excluded.file_id, restored_at = excluded.restored_at, restored_by = excluded.restored_by

-- name: lies_in
SELECT id, path, bytes FROM archive_files
WHERE state = 'kept' AND kind = 'dead_letters' AND ids @> %(id)s::bigint ORDER BY id
