-- name: all_about
-- Parts of a statement that lets dead letters go for ever, purged (id, source, source_key, group_id): what else holds
-- their words goes with them. What an operation was told stays as an outcome without words; an item that has none yet
-- gets it from its operation. A group's words go with the last dead letter of it: should one come again, the next fold
-- writes them anew. The audit log and the files of exports are no part of this.
samples AS (
    DELETE FROM success_samples s USING purged p WHERE s.source = p.source AND s.source_key = p.source_key
), attempts AS (
    DELETE FROM dlq_attempts WHERE dlq_event_id = ANY (ARRAY(SELECT id FROM purged))
), versions AS (
    DELETE FROM payload_versions WHERE dlq_event_id = ANY (ARRAY(SELECT id FROM purged))
), archived_messages AS (
    DELETE FROM message_archive WHERE dlq_event_id = ANY (ARRAY(SELECT id FROM purged))
), told AS (
    UPDATE operation_items SET reason = ''
    WHERE dead_letter_id = ANY (ARRAY(SELECT id FROM purged)) AND reason <> '' AND status <> 'remaining'
), foretold AS (
    DELETE FROM operation_predictions WHERE (operation_id, dead_letter_id) IN (
        SELECT i.operation_id, i.dead_letter_id FROM operation_items i
        WHERE i.dead_letter_id = ANY (ARRAY(SELECT id FROM purged))
    )
), common_ground AS (
    DELETE FROM common_grounds WHERE group_id = ANY (ARRAY(SELECT DISTINCT group_id FROM purged))
), wordless AS (
    UPDATE failure_groups g SET message = '‹erased›', frames = ''
    WHERE g.id = ANY (ARRAY(SELECT DISTINCT group_id FROM purged)) AND g.message <> '‹erased›' AND (
        SELECT d.id FROM dlq_events d WHERE d.group_id = g.id AND d.id NOT IN (SELECT id FROM purged) LIMIT 1
    ) IS NULL
)
