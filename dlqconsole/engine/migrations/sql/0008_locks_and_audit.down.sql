DROP TRIGGER audit_log_refuse_truncate ON audit_log;
DROP TRIGGER audit_log_refuse ON audit_log;
DROP FUNCTION audit_log_refuse();
DROP TABLE shedlock;
