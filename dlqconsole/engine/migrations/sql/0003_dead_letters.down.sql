DROP TRIGGER dlq_events_group_changed ON dlq_events;
DROP TRIGGER dlq_events_group_added ON dlq_events;
DROP FUNCTION dlq_events_group();
DROP TRIGGER dlq_events_changed ON dlq_events;
DROP FUNCTION dlq_events_changed();
DROP TRIGGER dlq_events_complete ON dlq_events;
DROP FUNCTION dlq_events_complete();
DROP FUNCTION dead_letter_group_id(text, text, text, text);
DROP FUNCTION dead_letter_message(text);
DROP FUNCTION dead_letter_error_class(text);
ALTER TABLE dlq_events DROP CONSTRAINT dlq_events_headers_object;
ALTER TABLE dlq_events RESET (
    fillfactor, autovacuum_vacuum_scale_factor, autovacuum_vacuum_cost_delay, autovacuum_analyze_scale_factor
);
