-- The flood gate: programs ask it before their failures become dead letters. In an outage their work waits where it is,
-- instead of leaving a dead letter for each piece. It is a breaker of its own: it stops none of our handlers.

CREATE FUNCTION flood_gate(
    event_type text, failed integer DEFAULT 0, succeeded integer DEFAULT 0, error_reason text DEFAULT '',
    error_category text DEFAULT 'UNKNOWN', drain_rate double precision DEFAULT 50,
    OUT hold boolean, OUT retry_in interval
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
    moment timestamptz;
    slot timestamptz;
BEGIN
    IF coalesce(event_type, '') = '' THEN
        RAISE EXCEPTION 'flood_gate needs the event type of what failed or is to run' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    PERFORM error_category_check(error_category);
    hold := false;
    IF away + well = 0 THEN
        hold := NOT breaker_probe(ARRAY[gate], first_pause, longest_pause);
    ELSE
        -- no wait heals what its own data makes fail
        IF away > 0 AND (dead_letter_classify(event_type, error_category, error_category <> 'UNKNOWN',
            coalesce(error_reason, ''), '')).category IN ('PERMANENT', 'BUSINESS')
        THEN
            away := 0;
        END IF;
        PERFORM breaker_noted(gate, event_type, away - well, greatest(away - well, 0), NULL, 0, 0, well, well, away,
            error_reason, settings.breaker_failures, 3, first_pause, longest_pause);
        hold := away > 0 AND EXISTS (
            SELECT FROM breakers_now b WHERE b.key = gate AND coalesce(b.held, b.state) <> 'closed'
        );
    END IF;
    IF NOT hold THEN
        RETURN;
    END IF;
    moment := clock_timestamp();
    UPDATE breakers b
    SET waits = least(b.waits + 1, 1000000000),
        -- each waits for a moment of its own, after those that wait already
        drained_until = greatest(CASE WHEN b.drained_until < moment + interval '1 day' THEN b.drained_until END,
            coalesce(b.next_probe_at, moment + make_interval(secs => first_pause)), moment)
            + make_interval(secs => 1 / breaker_bounded(drain_rate, 0.1, 10000))
    WHERE b.key = gate
    RETURNING b.drained_until INTO slot;
    retry_in := slot - moment;
END $$;
REVOKE EXECUTE ON FUNCTION flood_gate(text, integer, integer, text, text, double precision) FROM PUBLIC;
COMMENT ON FUNCTION flood_gate(text, integer, integer, text, text, double precision) IS
    'Whether work of an event type waits because something that it needs is away, and how long. Tell it what failed and '
    'what succeeded at the first attempt since you asked last; with neither it says whether the caller may run one that '
    'waited. It opens when more than half fail so, lets one at a time try, and then gives drain_rate of them a second '
    'their turn. PERMANENT and BUSINESS failures never wait.';
