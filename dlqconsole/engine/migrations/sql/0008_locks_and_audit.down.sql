DROP TRIGGER audit_log_refuse_truncate ON audit_log;
DROP TRIGGER audit_log_refuse ON audit_log;
DROP FUNCTION audit_log_refuse();
DROP FUNCTION lock_token_is_current(text, bigint);
DROP TABLE shedlock;
DROP FUNCTION lock_taken();
DROP TABLE lock_tokens;
