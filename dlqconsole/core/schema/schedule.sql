-- Due dead letters: how they are claimed, and what an attempt makes of them. Our schedule and a scheduler of yours
-- (schedulers.sql) call the same functions.

-- The soonest of each lane: an event type in some categories, all groups of it or only some. Its index finds them, so a
-- million that nobody handles, or somebody has paused, are not even passed over. Some more are looked at than are
-- taken, for what somebody else has locked. slowed: groups of which no more than so many may begin; the others do not
-- wait behind them. What has no tries left is claimed as EXHAUSTED: visible, never silently skipped. What keeps coming back is a person's.
CREATE FUNCTION dead_letters_due(lanes jsonb, but bigint[], most_come_backs integer)
    RETURNS TABLE (lane integer, id bigint, is_used_up boolean) LANGUAGE plpgsql
    SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH lanes AS MATERIALIZED (
        SELECT l.lane, l.event_type, l.categories, l.only_groups, l.but_groups, l.only_queues, l.max_retries,
            coalesce(l.slowed, ARRAY[]::bigint[]) AS slowed, l.slowed_rooms, l.room
        FROM jsonb_to_recordset(dead_letters_due.lanes) l (lane integer, event_type text, categories text[],
            only_groups bigint[], but_groups bigint[], only_queues text[], max_retries integer, room integer,
            slowed bigint[], slowed_rooms integer[])
    ), soonest AS MATERIALIZED (
        SELECT l.lane, e.id
        FROM lanes l CROSS JOIN LATERAL (
            SELECT one.id, one.retry_after
            FROM unnest(l.categories) c (category) CROSS JOIN LATERAL (
                SELECT d.id, d.retry_after FROM dlq_events d
                WHERE d.status = 'PENDING' AND d.event_type = l.event_type AND d.error_category = c.category
                    AND d.retry_after <= now() AND d.id <> ALL (dead_letters_due.but)
                    AND NOT dead_letter_keeps_coming(d.come_backs, dead_letters_due.most_come_backs)
                    AND coalesce(coalesce(nullif(d.queue, ''), d.event_type) = ANY (l.only_queues), true)
                    AND (l.only_groups IS NULL OR d.group_id = ANY (l.only_groups))
                    AND (l.but_groups IS NULL OR d.group_id <> ALL (l.but_groups)) AND d.group_id <> ALL (l.slowed)
                ORDER BY d.retry_after, d.id
                LIMIT 2 * l.room
            ) one
            UNION ALL
            SELECT one.id, one.retry_after
            FROM unnest(l.slowed, l.slowed_rooms) g (id, room) CROSS JOIN LATERAL (
                SELECT d.id, d.retry_after FROM dlq_events d
                WHERE d.status = 'PENDING' AND d.event_type = l.event_type AND d.error_category = ANY (l.categories)
                    AND d.group_id = g.id AND d.retry_after <= now() AND d.id <> ALL (dead_letters_due.but)
                    AND NOT dead_letter_keeps_coming(d.come_backs, dead_letters_due.most_come_backs)
                    AND coalesce(coalesce(nullif(d.queue, ''), d.event_type) = ANY (l.only_queues), true)
                ORDER BY d.retry_after, d.id
                LIMIT g.room
            ) one
            ORDER BY 2, 1
            LIMIT 2 * l.room
        ) e
    )
    SELECT l.lane, e.id, e.is_used_up
    FROM lanes l CROSS JOIN LATERAL (
        SELECT d.id, dead_letter_becomes(
            'PENDING', d.retry_count, coalesce(d.max_retries, l.max_retries)) = 'EXHAUSTED' AS is_used_up
        FROM dlq_events d
        WHERE d.id = ANY (ARRAY(SELECT s.id FROM soonest s WHERE s.lane = l.lane)) AND d.status = 'PENDING'
            AND d.error_category = ANY (l.categories) AND d.retry_after <= now()
            AND NOT dead_letter_keeps_coming(d.come_backs, dead_letters_due.most_come_backs)
        ORDER BY d.retry_after, d.id
        LIMIT l.room
        FOR UPDATE SKIP LOCKED
    ) e;
END $$;
REVOKE EXECUTE ON FUNCTION dead_letters_due(jsonb, bigint[], integer) FROM PUBLIC;
COMMENT ON FUNCTION dead_letters_due(jsonb, bigint[], integer) IS
    'The soonest due dead letters of each lane, locked; is_used_up: no tries are left.';

CREATE FUNCTION dead_letters_claim(
    lanes jsonb, claimant text, but bigint[], most_come_backs integer, begins boolean DEFAULT false
) RETURNS TABLE (
    lane integer, status text, id bigint, event_type text, payload text, payload_raw bytea, headers jsonb, source text,
    source_key text, retry_count integer, max_retries integer, crash_count smallint, retry_after timestamptz,
    lease_token uuid, status_before text, operation_before bigint, group_id bigint
) LANGUAGE plpgsql
    SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    UPDATE dlq_events d
    SET status = CASE WHEN due.is_used_up THEN 'EXHAUSTED' ELSE 'RETRYING' END,
        owner = CASE WHEN due.is_used_up THEN d.owner ELSE claimant END,
        begun_at = CASE WHEN begins AND NOT due.is_used_up THEN clock_timestamp() END,
        lease_token = CASE WHEN due.is_used_up THEN NULL ELSE gen_random_uuid() END,
        lease_until = CASE WHEN due.is_used_up THEN NULL
            ELSE clock_timestamp() + make_interval(secs => l.lease) END
    FROM dead_letters_due(dead_letters_claim.lanes, dead_letters_claim.but, dead_letters_claim.most_come_backs) due
    JOIN jsonb_to_recordset(dead_letters_claim.lanes) l (lane integer, lease float8) ON l.lane = due.lane
    WHERE d.id = due.id
    RETURNING due.lane, d.status::text, d.id, d.event_type::text, d.payload::text, d.payload_raw, d.headers,
        d.source::text, d.source_key::text, d.retry_count, d.max_retries, d.crash_count, d.retry_after, d.lease_token,
        'PENDING', d.operation_id, d.group_id;
END $$;
REVOKE EXECUTE ON FUNCTION dead_letters_claim(jsonb, text, bigint[], integer, boolean) FROM PUBLIC;
COMMENT ON FUNCTION dead_letters_claim(jsonb, text, bigint[], integer, boolean) IS
    'Claims due dead letters of these lanes, the longest due first; but: the ids that are passed over. Those '
    'without tries left are EXHAUSTED now. begins: an attempt from now on, else from when its handler begins.';

CREATE FUNCTION dead_letters_succeed(ids bigint[], tokens uuid[], started timestamptz[], kind text)
    RETURNS TABLE (id bigint, status text, group_id bigint, event_type text, source text, source_key text,
        payload_version integer)
    LANGUAGE plpgsql
    SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    -- coalesce: by their numbers, and not by the index of what is in flight, where thousands that were are dead entries
    WITH done AS MATERIALIZED (
        SELECT * FROM unnest(ids, tokens, started) d (id, token, started_at)
    ), healed AS (
        UPDATE dlq_events d SET status = 'SUCCEEDED', lease_token = NULL, lease_until = NULL
        FROM done
        WHERE d.id = done.id AND d.lease_token = done.token AND coalesce(d.status, '') = 'RETRYING'
        RETURNING d.id, d.status, d.group_id, d.event_type, d.source, d.source_key, d.payload_version, d.owner,
            done.started_at
    ), told AS (
        SELECT attempts_add(array_agg(attempt(dead_letters_succeed.kind, 'succeeded', h.id, worker => h.owner,
            started_at => h.started_at)))
        FROM healed h
    )
    SELECT h.id, h.status::text, h.group_id, h.event_type::text, h.source::text, h.source_key::text, h.payload_version
    FROM healed h, told;
END $$;
REVOKE EXECUTE ON FUNCTION dead_letters_succeed(bigint[], uuid[], timestamptz[], text) FROM PUBLIC;
COMMENT ON FUNCTION dead_letters_succeed(bigint[], uuid[], timestamptz[], text) IS
    'Claimed dead letters succeeded: those whose tokens are still good, and an attempt of each.';

-- fatal: the handler took its process with it. That is counted as a crash, and the third is the last; so is the
-- fifth that did not end in its time.
CREATE FUNCTION dead_letters_fail(
    ids bigint[], tokens uuid[], started timestamptz[], statuses text[], most integer[], delays double precision[],
    fatal boolean[], reasons text[], categories text[], traces text[], kind text, max_crashes integer,
    max_timeouts integer
) RETURNS TABLE (id bigint, status text, group_id bigint) LANGUAGE plpgsql
    SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH done AS MATERIALIZED (
        SELECT * FROM unnest(ids, tokens, started, statuses, most, delays, fatal, reasons, categories, traces)
            d (id, token, started_at, status, most, delay, fatal, reason, category, trace)
    ), failed AS (
        UPDATE dlq_events d
        SET status = dead_letter_becomes(done.status, d.retry_count + 1, coalesce(d.max_retries, done.most),
                done.fatal AND d.crash_count + 1 >= dead_letters_fail.max_crashes
                OR dead_letter_times_out(d.id, NULL, done.reason, dead_letters_fail.max_timeouts)),
            crash_count = d.crash_count + done.fatal::integer,
            retry_count = d.retry_count + 1, occurrences = d.occurrences + 1, last_failure_at = clock_timestamp(),
            retry_after = clock_timestamp() + make_interval(secs => done.delay),
            error_reason = done.reason, error_category = done.category, error_stacktrace = done.trace,
            lease_token = NULL, lease_until = NULL
        FROM done
        WHERE d.id = done.id AND d.lease_token = done.token AND coalesce(d.status, '') = 'RETRYING'
        RETURNING d.id, d.owner, d.status, d.group_id, done.started_at, done.reason, done.category, done.trace
    ), told AS (
        SELECT attempts_add(array_agg(attempt(dead_letters_fail.kind, 'failed', f.id, worker => f.owner,
            started_at => f.started_at, category => f.category, reason => f.reason, stacktrace => f.trace)))
        FROM failed f
    )
    SELECT f.id, f.status::text, f.group_id FROM failed f, told;
END $$;
REVOKE EXECUTE ON FUNCTION dead_letters_fail(bigint[], uuid[], timestamptz[], text[], integer[], double precision[], boolean[], text[], text[], text[], text, integer, integer) FROM PUBLIC;
COMMENT ON FUNCTION dead_letters_fail(bigint[], uuid[], timestamptz[], text[], integer[], double precision[], boolean[], text[], text[], text[], text, integer, integer) IS
    'Claimed dead letters failed again: those whose tokens are still good, and an attempt of each.';
