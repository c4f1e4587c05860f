-- Plain SQL may have written moments that no page can read: infinity, BC, the year 10000. Each is put to the
-- nearest one that can be read: what was held for ever is held until the year 9998.
CREATE FUNCTION readable_moment(given timestamptz) RETURNS timestamptz LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN given IS NOT NULL
        THEN least(greatest(given, timestamptz '1900-01-02 00:00+00'), timestamptz '9998-12-31 00:00+00')
    END;

-- Numbers below zero have no page. A row gets a new one; a group of such a number goes, its dead letters to 0.
UPDATE dlq_events SET
    id = CASE WHEN id < 0 THEN nextval(pg_get_serial_sequence('dlq_events', 'id')) ELSE id END,
    group_id = greatest(group_id, 0),
    fingerprint_id = greatest(fingerprint_id, 0),
    lease_until = readable_moment(lease_until),
    revived_at = readable_moment(revived_at),
    updated_at = readable_moment(updated_at)
WHERE least(id, group_id, fingerprint_id) < 0
    OR lease_until <> readable_moment(lease_until)
    OR revived_at <> readable_moment(revived_at)
    OR updated_at <> readable_moment(updated_at);
DELETE FROM failure_groups WHERE id < 0;
UPDATE message_queue SET
    id = CASE WHEN id < 0 THEN nextval('message_queue_id_seq') ELSE id END,
    lease_until = readable_moment(lease_until),
    dequeued_time = readable_moment(dequeued_time)
WHERE id < 0 OR lease_until <> readable_moment(lease_until) OR dequeued_time <> readable_moment(dequeued_time);

UPDATE dlq_attempts SET
    started_at = readable_moment(started_at),
    finished_at = readable_moment(finished_at)
WHERE started_at <> readable_moment(started_at)
    OR finished_at <> readable_moment(finished_at);

UPDATE failure_groups SET
    created_at = readable_moment(created_at),
    state_changed_at = readable_moment(state_changed_at),
    snoozed_until = readable_moment(snoozed_until)
WHERE created_at <> readable_moment(created_at)
    OR state_changed_at <> readable_moment(state_changed_at)
    OR snoozed_until <> readable_moment(snoozed_until);

UPDATE failure_rules SET
    created_at = readable_moment(created_at),
    updated_at = readable_moment(updated_at)
WHERE created_at <> readable_moment(created_at)
    OR updated_at <> readable_moment(updated_at);

UPDATE group_merges SET
    created_at = readable_moment(created_at)
WHERE created_at <> readable_moment(created_at);

UPDATE payload_versions SET
    created_at = readable_moment(created_at)
WHERE created_at <> readable_moment(created_at);

UPDATE queues SET
    created_at = readable_moment(created_at)
WHERE created_at <> readable_moment(created_at);

-- a minute that cannot be is no one's figure
DELETE FROM queue_activity WHERE minute <> readable_moment(minute);

UPDATE queue_breakers SET
    opened_at = readable_moment(opened_at),
    open_until = readable_moment(open_until)
WHERE opened_at <> readable_moment(opened_at)
    OR open_until <> readable_moment(open_until);

DROP FUNCTION readable_moment(timestamptz);
