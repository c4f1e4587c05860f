-- The version of the tables: one row for the core, and one for each feature that was ever present.

CREATE TABLE schema_parts (
    part text NOT NULL,
    change integer NOT NULL,
    version text NOT NULL,
    digest text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT statement_timestamp(),
    CONSTRAINT schema_parts_pkey PRIMARY KEY (part)
);
COMMENT ON TABLE schema_parts IS 'The version of the tables, for the core and for each feature. Written by migrate.';
COMMENT ON COLUMN schema_parts.part IS '"core", or the folder of a feature';
COMMENT ON COLUMN schema_parts.change IS 'the last numbered change that is applied; 0: none yet';
COMMENT ON COLUMN schema_parts.version IS 'the version of dlqconsole whose files these are';
COMMENT ON COLUMN schema_parts.digest IS 'of the files, so that migrate runs them again only if they changed';
COMMENT ON INDEX schema_parts_pkey IS 'migrate: the version of a part';
