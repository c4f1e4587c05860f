-- Errors without rows. PostgreSQL prints the row that breaks a CHECK or a NOT NULL, to its writer and into its own log:
-- "Failing row contains (…)". A payload would stand there. So a trigger, the last of its table, refuses it first.

CREATE FUNCTION row_refused() RETURNS trigger LANGUAGE plpgsql
    SET search_path FROM CURRENT
AS $$
DECLARE
    each record;
    is_broken boolean;
BEGIN
    FOR each IN
        SELECT attname AS name FROM pg_attribute WHERE attrelid = TG_RELID AND attnum > 0 AND attnotnull ORDER BY attnum
    LOOP
        EXECUTE format('SELECT ($1).%I IS NULL', each.name) USING NEW INTO is_broken;
        IF is_broken THEN
            RAISE EXCEPTION 'null value in column "%" of relation "%" violates not-null constraint', each.name, TG_TABLE_NAME
                USING ERRCODE = 'not_null_violation', SCHEMA = TG_TABLE_SCHEMA, TABLE = TG_TABLE_NAME, COLUMN = each.name;
        END IF;
    END LOOP;
    FOR each IN
        SELECT conname AS name, pg_get_expr(conbin, conrelid) AS rule FROM pg_constraint
        WHERE conrelid = TG_RELID AND contype = 'c' ORDER BY conname
    LOOP
        EXECUTE format('SELECT (%s) IS FALSE FROM (SELECT ($1).*) its', each.rule) USING NEW INTO is_broken;
        IF is_broken THEN
            RAISE EXCEPTION 'new row for relation "%" violates check constraint "%"', TG_TABLE_NAME, each.name
                USING ERRCODE = 'check_violation', SCHEMA = TG_TABLE_SCHEMA, TABLE = TG_TABLE_NAME,
                    CONSTRAINT = each.name, HINT = 'It says: ' || each.rule;
        END IF;
    END LOOP;
    RETURN NEW;
END $$;
REVOKE EXECUTE ON FUNCTION row_refused() FROM PUBLIC;
COMMENT ON FUNCTION row_refused() IS
    'Refuses a row that breaks a CHECK or a NOT NULL of its table, in PostgreSQL''s own words but without the row.';

CREATE FUNCTION row_errors_say_no_row(its_table regclass) RETURNS void LANGUAGE plpgsql
    SET search_path FROM CURRENT
AS $$
DECLARE
    condition text;
    each record;
    part text;
BEGIN
    SELECT format('num_nulls(%s) > 0', string_agg(format('new.%I', attname), ', ' ORDER BY attname)) INTO condition
    FROM pg_attribute WHERE attrelid = its_table AND attnum > 0 AND attnotnull;
    FOR each IN
        SELECT pg_get_expr(c.conbin, c.conrelid) AS rule, ARRAY(
            SELECT a.attname FROM pg_attribute a WHERE a.attrelid = its_table AND a.attnum = ANY (c.conkey)
        ) AS columns
        FROM pg_constraint c WHERE c.conrelid = its_table AND c.contype = 'c' ORDER BY c.conname
    LOOP
        FOREACH part IN ARRAY each.columns LOOP
            each.rule := regexp_replace(each.rule, format('\m%s\M', part), 'new.' || part, 'g');
        END LOOP;
        condition := format('%s OR (%s) IS FALSE', condition, each.rule);
    END LOOP;
    EXECUTE format('CREATE OR REPLACE TRIGGER %I BEFORE INSERT OR UPDATE ON %s FOR EACH ROW WHEN (%s)'
        ' EXECUTE FUNCTION row_refused()', 'zz_row_refused', its_table, condition);
END $$;
REVOKE EXECUTE ON FUNCTION row_errors_say_no_row(regclass) FROM PUBLIC;
COMMENT ON FUNCTION row_errors_say_no_row(regclass) IS
    'Makes the trigger of a table that refuses a row without printing it, of the constraints that the table has now. '
    'Called again after a change of them.';

SELECT row_errors_say_no_row('dlq_events');
