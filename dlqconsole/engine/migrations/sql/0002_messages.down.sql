DROP TRIGGER message_queue_added ON message_queue;
DROP TABLE message_queue_unlogged;
DROP FUNCTION message_queue_added();
DROP TABLE producer_queues;
DROP TABLE queue_tokens;
DROP TABLE queue_sleepers;
ALTER TABLE message_queue DROP CONSTRAINT message_queue_headers_object;
ALTER TABLE message_queue RESET (
    fillfactor,
    autovacuum_vacuum_scale_factor,
    autovacuum_vacuum_threshold,
    autovacuum_vacuum_cost_delay,
    autovacuum_analyze_scale_factor
);
