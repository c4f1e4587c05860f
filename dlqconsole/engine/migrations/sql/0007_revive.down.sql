DROP FUNCTION revive_dead_letter(bigint);
DROP FUNCTION revive_headers(jsonb, text, text, text, jsonb);
