DROP INDEX message_queue_unlogged_held;
DROP FUNCTION reclassify_dead_letters(bigint[], text, bigint);
