-- The seals of the audit log.

CREATE TABLE audit_seals (
    number bigint NOT NULL,
    above bigint NOT NULL,
    up_to bigint NOT NULL,
    count integer NOT NULL,
    columns text[] NOT NULL,
    content bytea NOT NULL,
    marks bytea NOT NULL,
    next_up_to bigint NOT NULL,
    waits_for text[] NOT NULL,
    at moment NOT NULL,
    key_name varchar(16) NOT NULL,
    previous bytea NOT NULL,
    hash bytea NOT NULL,
    CONSTRAINT audit_seals_pkey PRIMARY KEY (number)
);
COMMENT ON TABLE audit_seals IS
    'Blocks of audit_log under a key that the database does not have. Each seal holds the one before.';
COMMENT ON COLUMN audit_seals.number IS '1, 2, 3, …: none is left out';
COMMENT ON COLUMN audit_seals.above IS 'the block: rows with an id above this one …';
COMMENT ON COLUMN audit_seals.up_to IS '… and up to this one, all that there will ever be';
COMMENT ON COLUMN audit_seals.columns IS 'of audit_log, as they were then; id is the first';
COMMENT ON COLUMN audit_seals.content IS 'sha256 of the rows, as COPY writes them in UTC';
COMMENT ON COLUMN audit_seals.marks IS
    'for each row its id, and four bytes of each further column: which one differs';
COMMENT ON COLUMN audit_seals.next_up_to IS 'the next block ends here, once waits_for have ended';
COMMENT ON COLUMN audit_seals.waits_for IS
    'virtual transactions that had written to audit_log and not yet committed';
COMMENT ON COLUMN audit_seals.key_name IS 'which key; says nothing about it';
COMMENT ON COLUMN audit_seals.previous IS 'the hash of the seal before; empty for the first';
COMMENT ON COLUMN audit_seals.hash IS 'HMAC-SHA256 of all the other columns';
COMMENT ON INDEX audit_seals_pkey IS 'the newest seal; verification walks from seal to seal';

-- Against a slip of the hand. What the owner of the table does to a seal, its hash shows.
CREATE TRIGGER audit_seals_refuse BEFORE DELETE OR UPDATE ON audit_seals
    FOR EACH ROW EXECUTE FUNCTION audit_log_refuse();
ALTER TABLE audit_seals ENABLE ALWAYS TRIGGER audit_seals_refuse;

CREATE TRIGGER audit_seals_refuse_truncate BEFORE TRUNCATE ON audit_seals
    FOR EACH STATEMENT EXECUTE FUNCTION audit_log_refuse();
ALTER TABLE audit_seals ENABLE ALWAYS TRIGGER audit_seals_refuse_truncate;
