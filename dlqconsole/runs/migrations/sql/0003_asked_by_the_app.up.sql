-- Only who may write asked_at asks for runs: the app. The reporter keeps the rows of its own processes up to date, and
-- would otherwise have a run that was asked for once begin again as the app.

CREATE FUNCTION pipeline_runs_guarded() RETURNS trigger LANGUAGE plpgsql
    SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    IF NOT has_column_privilege('public.pipeline_runs', 'asked_at', 'UPDATE') THEN
        RAISE EXCEPTION 'run % was asked for, and % may change only runs of its own processes', OLD.id, quote_ident(current_user)
            USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NEW;
END $$;
COMMENT ON FUNCTION pipeline_runs_guarded() IS
    'Trigger of pipeline_runs: who may not ask for a run changes none that was asked for. Without asked_at none waits '
    'for a worker, which a constraint holds.';
REVOKE EXECUTE ON FUNCTION pipeline_runs_guarded() FROM PUBLIC;

CREATE TRIGGER pipeline_runs_guarded BEFORE UPDATE ON pipeline_runs
    FOR EACH ROW WHEN (OLD.asked_at IS NOT NULL) EXECUTE FUNCTION pipeline_runs_guarded();
