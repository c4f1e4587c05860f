DROP FUNCTION dead_letter_ids(text, bigint, jsonb);
