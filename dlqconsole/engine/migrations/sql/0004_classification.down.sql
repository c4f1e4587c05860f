DROP FUNCTION dead_letter_carry_merge(bigint, bigint, bigint);
DROP FUNCTION dead_letter_classify(text, text, boolean, text, text);
DROP TYPE dead_letter_class;
ALTER TABLE failure_rules
    DROP CONSTRAINT failure_rules_pattern,
    DROP CONSTRAINT failure_rules_sqlstate,
    DROP CONSTRAINT failure_rules_http_status,
    DROP CONSTRAINT failure_rules_fingerprint;
DROP FUNCTION failure_rule_pattern_is_sound(text);
DROP FUNCTION dead_letter_wildcards(text);
DROP FUNCTION dead_letter_hash(text);
DROP FUNCTION dead_letter_frames(text);
DROP FUNCTION dead_letter_message(text);
DROP FUNCTION dead_letter_message(text, text);
DROP FUNCTION dead_letter_http_status(text);
DROP FUNCTION dead_letter_sqlstate(text);
DROP FUNCTION dead_letter_error_class(text);
