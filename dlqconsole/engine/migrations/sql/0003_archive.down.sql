DROP FUNCTION message_archive_shorten(text, integer, timestamptz, integer, text, text);
DROP FUNCTION message_archive_drop();
DROP FUNCTION message_archive_prepare(integer);
DROP TABLE message_archive;
DROP FUNCTION message_archive_keep_until(text, timestamptz);
