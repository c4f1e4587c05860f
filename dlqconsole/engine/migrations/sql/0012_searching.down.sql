DROP TRIGGER dlq_events_unsearched_emptied ON dlq_events;
DROP TRIGGER dlq_events_unsearched_removed ON dlq_events;
DROP TRIGGER dlq_events_unsearched_changed ON dlq_events;
DROP TRIGGER dlq_events_unsearched_added ON dlq_events;
DROP FUNCTION dlq_events_unsearched();
