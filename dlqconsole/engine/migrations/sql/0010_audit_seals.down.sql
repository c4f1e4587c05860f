DROP TRIGGER audit_seals_refuse_truncate ON audit_seals;
DROP TRIGGER audit_seals_refuse ON audit_seals;
