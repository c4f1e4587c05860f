-- The flood gate: programs ask it before their failures become dead letters. In an outage their work waits where it is,
-- instead of leaving a dead letter for each piece. It is a breaker of its own: it stops none of our handlers.

CREATE FUNCTION flood_gate(
    event_type text, failed integer DEFAULT 0, succeeded integer DEFAULT 0, error_reason text DEFAULT '',
    error_category text DEFAULT 'UNKNOWN', drain_rate double precision DEFAULT 50, waited boolean DEFAULT false,
    OUT hold boolean, OUT retry_in interval, OUT probe boolean
) LANGUAGE plpgsql SECURITY DEFINER
    SET search_path FROM CURRENT
AS $$
DECLARE
    settings CONSTANT retry_settings_now := (SELECT s FROM retry_settings_now s);
    first_pause CONSTANT double precision := 5;
    longest_pause CONSTANT double precision := 60;
    gate CONSTANT text := 'flood:' || left(event_type, 255);
    away integer := breaker_bounded(failed, 0, 10000);
    well CONSTANT integer := breaker_bounded(succeeded, 0, 10000);
    state CONSTANT text := (SELECT coalesce(b.held, b.state) FROM breakers_now b WHERE b.key = gate);
    moment timestamptz;
    slot timestamptz;
BEGIN
    IF coalesce(event_type, '') = '' THEN
        RAISE EXCEPTION 'flood_gate needs the event type of what failed or is to run' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    PERFORM error_category_check(error_category);
    hold := false;
    probe := false;
    -- no wait heals what its own data makes fail
    IF away > 0 AND (dead_letter_classify(event_type, error_category, error_category <> 'UNKNOWN',
        coalesce(error_reason, ''), '')).category IN ('PERMANENT', 'BUSINESS')
    THEN
        away := 0;
    END IF;
    IF coalesce(failed, 0) > 0 OR well > 0 THEN
        -- where nothing has failed, successes say nothing new
        IF away > 0 OR state IS NOT NULL THEN
            PERFORM breaker_noted(gate, event_type, away - well, greatest(away - well, 0), NULL, 0, 0, well, well, away,
                error_reason, settings.breaker_failures, 3, first_pause, longest_pause);
        END IF;
        hold := away > 0 AND EXISTS (
            SELECT FROM breakers_now b WHERE b.key = gate AND coalesce(b.held, b.state) <> 'closed'
        );
    ELSIF state <> 'closed' THEN
        probe := breaker_probe(ARRAY[gate], first_pause, longest_pause);
        hold := NOT probe;
    END IF;
    IF NOT hold THEN
        RETURN;
    END IF;
    moment := clock_timestamp();
    UPDATE breakers b
    SET waits = least(b.waits + CASE WHEN waited THEN 0 ELSE 1 END, 1000000000),
        -- each waits for a moment of its own, after those that wait already; whatever anybody told, it asks in an hour
        drained_until = least(moment + interval '1 hour', greatest(b.drained_until,
            coalesce(b.next_probe_at, moment + make_interval(secs => first_pause)), moment)
            + make_interval(secs => 1 / breaker_bounded(drain_rate, 0.1, 10000)))
    WHERE b.key = gate
    RETURNING b.drained_until INTO slot;
    retry_in := slot - moment;
END $$;
REVOKE EXECUTE ON FUNCTION flood_gate(text, integer, integer, text, text, double precision, boolean) FROM PUBLIC;
COMMENT ON FUNCTION flood_gate(text, integer, integer, text, text, double precision, boolean) IS
    'Whether work of an event type waits because something that it needs is away, and how long. Tell it what failed and '
    'what succeeded at the first attempt since you asked last; with neither it says whether the caller may run one. It '
    'opens when more than half fail so, lets one at a time try (probe: tell what comes of it at once), and then gives '
    'drain_rate of them a second their turn. PERMANENT and BUSINESS failures never wait. waited: this one was counted '
    'as waiting before.';
