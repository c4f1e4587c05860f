-- How a breaker moves, the same whoever reports: consumers, schedule, operations, Spark, any other language.
-- What opens it and how soon it tries is given with each call, because that is a setting.

CREATE VIEW breakers_now AS
SELECT key, state, since, reason, event_types, only_again, score, again_score, failures, probes,
    CASE WHEN held_until > clock_timestamp() THEN held END AS held, held_until, held_by, held_reason, told_by,
    extract(epoch FROM next_probe_at - clock_timestamp())::double precision AS next_probe_seconds
FROM breakers
WHERE state <> 'closed' OR score > 0 OR again_score > 0 OR held_until > clock_timestamp();
COMMENT ON VIEW breakers_now IS
    'The breakers that are not simply closed, by the database''s clock: few, and looked at once a second by whoever '
    'runs handlers.';

-- What a caller gives is a setting, or was counted: no more than settings may be, and than a moment's outcomes are.
CREATE FUNCTION breaker_bounded(given double precision, low double precision, high double precision)
RETURNS double precision LANGUAGE sql IMMUTABLE AS $$
    SELECT greatest(low, least(high, coalesce(given, low)))
$$;
COMMENT ON FUNCTION breaker_bounded(double precision, double precision, double precision) IS
    'A number within its bounds; NULL is the lower, NaN the higher.';

-- The pauses: the first, twice as long after each run that tried, up to the longest; a quarter of it is drawn by lot, so
-- that what broke together does not come back together. An hour and a day are the most that the settings allow.
CREATE FUNCTION breaker_pause(probes integer, first_pause double precision, longest_pause double precision)
RETURNS interval LANGUAGE sql VOLATILE AS $$
    SELECT make_interval(secs => greatest(breaker_bounded(first_pause, 1, 3600),
        least(breaker_bounded(longest_pause, 1, 86400), breaker_bounded(first_pause, 1, 3600) * 2 ^ least(probes, 20))
            * (1 - 0.25 * random())))
$$;
COMMENT ON FUNCTION breaker_pause(integer, double precision, double precision) IS
    'How long a breaker waits after so many runs that tried.';

-- SECURITY DEFINER, the next two: who reports failures moves a breaker by what they take, and has no right on its row.
CREATE FUNCTION breaker_noted(
    noted_key text, noted_type text,
    added double precision, least_score double precision, last_success_ago double precision,
    again_added double precision, again_least double precision,
    went_well integer, first_went_well integer, were_away integer, why text,
    opens_at double precision, closes_after integer,
    first_pause double precision, longest_pause double precision
) RETURNS text LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    b breakers;
    moment CONSTANT timestamptz := clock_timestamp();
BEGIN
    opens_at := breaker_bounded(opens_at, 0, 1000000);
    closes_after := breaker_bounded(closes_after, 1, 1000);
    added := breaker_bounded(coalesce(added, 0), -1000000, 1000);
    least_score := breaker_bounded(least_score, 0, 1000);
    again_added := breaker_bounded(coalesce(again_added, 0), -1000000, 1000);
    again_least := breaker_bounded(again_least, 0, 1000);
    went_well := breaker_bounded(went_well, 0, 10000);
    first_went_well := breaker_bounded(first_went_well, 0, 10000);
    were_away := breaker_bounded(were_away, 0, 10000);
    IF last_success_ago IS NOT NULL THEN
        last_success_ago := breaker_bounded(last_success_ago, 0, 1000000);
    END IF;
    noted_type := left(noted_type, 255);
    INSERT INTO breakers (key) VALUES (noted_key) ON CONFLICT (key) DO NOTHING;
    SELECT * INTO b FROM breakers WHERE key = noted_key FOR UPDATE;
    -- what was long ago says nothing about now
    IF b.noted_at < moment - interval '10 minutes' THEN
        b.score := 0;
        b.again_score := 0;
    END IF;
    b.failures := CASE WHEN b.score + b.again_score > 0 OR b.state <> 'closed' THEN b.failures ELSE 0 END;
    b.failures := least(b.failures + were_away, 1000000000);
    IF moment - make_interval(secs => last_success_ago) < b.rose_at THEN
        -- its successes are from before all this, and tell late
        b.score := b.score + least_score;
    ELSE
        b.rose_at := CASE WHEN b.score > 0 THEN b.rose_at ELSE moment END;
        b.score := greatest(b.score + added, least_score);
    END IF;
    IF b.score = 0 THEN
        b.rose_at := NULL;
    END IF;
    b.again_score := greatest(b.again_score + again_added, again_least);
    b.noted_at := moment;
    IF NOT noted_type = ANY (b.event_types) AND cardinality(b.event_types) < 100 THEN
        b.event_types := b.event_types || noted_type;
    END IF;
    IF first_went_well > 0 THEN
        b.first_success_at := moment;
    END IF;
    IF were_away > 0 THEN
        b.reason := left(coalesce(why, ''), 4000);
        -- in a function with its owner's rights current_user is the owner
        b.told_by := session_user;
    END IF;

    IF b.state = 'closed' THEN
        IF opens_at > 0 AND (b.score >= opens_at
            OR b.again_score >= opens_at AND coalesce(b.first_success_at < moment - interval '1 minute', true)) THEN
            b.state := 'open';
            b.since := moment;
            -- a heap of what is hopeless must not stop what is fresh
            b.only_again := b.score < opens_at;
            b.probes := 0;
            b.successes := 0;
            b.next_probe_at := moment + breaker_pause(0, first_pause, longest_pause);
        END IF;
    ELSE
        IF were_away > 0 THEN
            b.state := 'open';
            b.successes := 0;
            b.next_probe_at := greatest(least(b.next_probe_at, moment + interval '1 day'),
                moment + breaker_pause(b.probes, first_pause, longest_pause));
            b.only_again := b.only_again AND b.score < opens_at;
        ELSIF went_well > 0 THEN
            b.state := 'half-open';
            b.successes := least(b.successes + went_well, 1000000000);
            b.next_probe_at := moment;
        ELSIF b.state = 'half-open' THEN
            -- it failed for a reason of its own, perhaps before it called anybody: another may try at once
            b.next_probe_at := moment;
        END IF;
        IF b.successes >= closes_after OR first_went_well > 0 AND b.only_again THEN
            b.state := 'closed';
            b.since := moment;
            b.only_again := false;
            b.score := 0;
            b.rose_at := NULL;
            b.again_score := 0;
            b.failures := 0;
            b.probes := 0;
            b.successes := 0;
            b.next_probe_at := NULL;
            b.reason := '';
            b.told_by := '';
        END IF;
    END IF;
    UPDATE breakers SET event_types = b.event_types, state = b.state, since = b.since, reason = b.reason, told_by = b.told_by,
        only_again = b.only_again, score = b.score,
        rose_at = b.rose_at, again_score = b.again_score, failures = b.failures, noted_at = b.noted_at, first_success_at = b.first_success_at,
        next_probe_at = b.next_probe_at, probes = b.probes, successes = b.successes
    WHERE key = noted_key;
    RETURN b.state;
END $$;
COMMENT ON FUNCTION breaker_noted(text, text, double precision, double precision, double precision, double precision, double precision,
    integer, integer, integer, text, double precision, integer, double precision, double precision) IS
    'Takes in what some runs of a handler say about one breaker; its state then. The two pairs of numbers say what '
    'first attempts, and what had failed before, do to their scores: score becomes greatest(score + added, least). What '
    'is out of bounds is brought to the nearest: 1000 added a call, pauses of a second to a day.';

CREATE FUNCTION breaker_probe(needed text[], first_pause double precision, longest_pause double precision)
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    blocking text[];
    refused boolean;
BEGIN
    -- in the order of their keys, as everybody locks them
    WITH locked AS MATERIALIZED (
        SELECT * FROM breakers WHERE key = ANY (needed) ORDER BY key FOR UPDATE
    ), seen AS (
        SELECT key, CASE WHEN held_until > clock_timestamp() THEN held END AS held_now, state,
            next_probe_at <= clock_timestamp() AS due
        FROM locked
    )
    SELECT coalesce(bool_or(held_now = 'open' OR state <> 'closed' AND held_now IS NULL AND NOT due), false),
        array_agg(key) FILTER (WHERE state <> 'closed' AND held_now IS NULL)
    INTO refused, blocking
    FROM seen;
    IF refused THEN
        RETURN false;
    END IF;
    UPDATE breakers SET state = 'half-open', probes = probes + 1,
        next_probe_at = clock_timestamp() + breaker_pause(probes + 1, first_pause, longest_pause)
    WHERE key = ANY (blocking);
    RETURN true;
END $$;
COMMENT ON FUNCTION breaker_probe(text[], double precision, double precision) IS
    'Whether the caller may run one handler that needs all of these: true for one caller a pause, of all processes.';
