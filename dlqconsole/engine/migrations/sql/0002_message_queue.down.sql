DROP TRIGGER message_queue_wake ON message_queue;
DROP FUNCTION message_queue_wake();
DROP TABLE queue_wakeups;
DROP TRIGGER message_queue_schedule ON message_queue;
DROP FUNCTION message_queue_schedule();
ALTER TABLE message_queue DROP CONSTRAINT message_queue_headers_object;
ALTER TABLE message_queue RESET (
    fillfactor,
    autovacuum_vacuum_scale_factor,
    autovacuum_vacuum_threshold,
    autovacuum_vacuum_cost_delay,
    autovacuum_analyze_scale_factor
);
