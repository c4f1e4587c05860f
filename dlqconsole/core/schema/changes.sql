-- Which numbered changes this database has: those that it was made with, and those that came later.

CREATE TABLE schema_changes (
    number integer NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT statement_timestamp(),
    CONSTRAINT schema_changes_pkey PRIMARY KEY (number)
);
COMMENT ON TABLE schema_changes IS 'The numbered changes of the schema that this database has.';
COMMENT ON INDEX schema_changes_pkey IS 'migrate: whether a change is there';
