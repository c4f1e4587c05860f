DROP TRIGGER dlq_events_emptied ON dlq_events;
DROP TRIGGER dlq_events_counted_removed ON dlq_events;
DROP TRIGGER dlq_events_counted_changed ON dlq_events;
DROP TRIGGER dlq_events_counted_added ON dlq_events;
DROP FUNCTION dlq_events_emptied();
DROP FUNCTION dlq_events_counted();
DROP VIEW dead_letter_trend;
DROP VIEW dead_letter_totals;
DROP TABLE dead_letter_deltas;
DELETE FROM dead_letter_counts;
DELETE FROM dead_letter_hours;
ALTER TABLE dead_letter_hours RESET (fillfactor, autovacuum_vacuum_scale_factor);
ALTER TABLE dead_letter_counts RESET (fillfactor, autovacuum_vacuum_scale_factor);

CREATE TRIGGER dlq_events_group_added AFTER INSERT ON dlq_events
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION dlq_events_group();
CREATE TRIGGER dlq_events_group_changed AFTER UPDATE ON dlq_events
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION dlq_events_group();
