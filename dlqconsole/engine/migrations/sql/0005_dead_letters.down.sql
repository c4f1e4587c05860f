DROP FUNCTION dead_letter_report(text, jsonb, text, text, text, text, text, text, interval, jsonb, bytea);
DROP FUNCTION reclassify_dead_letters(bigint[], text, bigint);
DROP TRIGGER dlq_events_edited ON dlq_events;
DROP FUNCTION dlq_events_edited();
DROP TRIGGER dlq_events_changed ON dlq_events;
DROP FUNCTION dlq_events_changed();
DROP FUNCTION dead_letter_moves();
DROP VIEW dead_letter_transitions;
DROP TRIGGER message_queue_taken_over ON message_queue_unlogged;
DROP TRIGGER message_queue_taken_over ON message_queue;
DROP FUNCTION message_queue_taken_over();
DROP TRIGGER dlq_attempts_folded ON dlq_attempts;
DROP FUNCTION dlq_attempts_folded();
DROP FUNCTION dead_letter_again(dlq_events, dlq_events);
DROP FUNCTION dead_letter_same_bytes(dlq_events, dlq_events);
DROP FUNCTION dead_letter_named(text, text, jsonb, bytea);
DROP FUNCTION dead_letter_key(text, jsonb, bytea);
DROP FUNCTION dead_letter_keeps_coming(integer, integer);
DROP FUNCTION dead_letter_becomes(text, integer, integer, boolean);
DROP FUNCTION dead_letter_raced();
DROP FUNCTION dead_letter_keep_failure(dlq_events);
DROP TRIGGER dlq_events_complete ON dlq_events;
DROP FUNCTION dlq_events_complete();
DROP FUNCTION event_occurred_at(jsonb, jsonb);
DROP FUNCTION event_moment(text);
ALTER TABLE dlq_events DROP CONSTRAINT dlq_events_headers_object;
ALTER TABLE dlq_events RESET (
    fillfactor, autovacuum_vacuum_scale_factor, autovacuum_vacuum_cost_delay, autovacuum_analyze_scale_factor
);
