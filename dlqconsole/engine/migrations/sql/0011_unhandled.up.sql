-- What was put back for want of a handler stands in the unlogged table, too.
CREATE INDEX message_queue_unlogged_unhandled ON message_queue_unlogged (queue, unhandled_type, id)
    WHERE unhandled_type IS NOT NULL;
