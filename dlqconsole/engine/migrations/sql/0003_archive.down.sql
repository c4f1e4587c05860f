DROP FUNCTION message_archive_drop(integer);
DROP FUNCTION message_archive_prepare(integer);
DROP TABLE message_archive;
