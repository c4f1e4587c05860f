CREATE TABLE shedlock (
    name varchar(64) NOT NULL,
    lock_until timestamp NOT NULL,
    locked_at timestamp NOT NULL,
    locked_by varchar(255) NOT NULL,
    PRIMARY KEY (name)
);
COMMENT ON TABLE shedlock IS
    'ShedLock''s own table, to the letter: a Java fleet and we can share it. Its timestamps have no zone and mean '
    'UTC; rows are never deleted.';

CREATE FUNCTION audit_log_refuse() RETURNS trigger LANGUAGE plpgsql
    SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    RAISE EXCEPTION '% only grows: % is refused', TG_TABLE_NAME, TG_OP USING ERRCODE = 'insufficient_privilege';
END $$;
COMMENT ON FUNCTION audit_log_refuse() IS
    'The audit log only grows. Its triggers are ENABLE ALWAYS: not even session_replication_role turns this off.';

CREATE TRIGGER audit_log_refuse BEFORE UPDATE OR DELETE ON audit_log FOR EACH ROW
    EXECUTE FUNCTION audit_log_refuse();
CREATE TRIGGER audit_log_refuse_truncate BEFORE TRUNCATE ON audit_log FOR EACH STATEMENT
    EXECUTE FUNCTION audit_log_refuse();
ALTER TABLE audit_log ENABLE ALWAYS TRIGGER audit_log_refuse;
ALTER TABLE audit_log ENABLE ALWAYS TRIGGER audit_log_refuse_truncate;
