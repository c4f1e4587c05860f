-- Against a slip of the hand. What the owner of the table does to a seal, its hash shows.
CREATE TRIGGER audit_seals_refuse BEFORE UPDATE OR DELETE ON audit_seals FOR EACH ROW
    EXECUTE FUNCTION audit_log_refuse();
CREATE TRIGGER audit_seals_refuse_truncate BEFORE TRUNCATE ON audit_seals FOR EACH STATEMENT
    EXECUTE FUNCTION audit_log_refuse();
ALTER TABLE audit_seals ENABLE ALWAYS TRIGGER audit_seals_refuse;
ALTER TABLE audit_seals ENABLE ALWAYS TRIGGER audit_seals_refuse_truncate;
