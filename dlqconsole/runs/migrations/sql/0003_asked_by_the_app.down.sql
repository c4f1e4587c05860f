DROP TRIGGER pipeline_runs_guarded ON pipeline_runs;
DROP FUNCTION pipeline_runs_guarded();
