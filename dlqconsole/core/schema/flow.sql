-- Flow control: the breakers and paces that decide when something may run.

CREATE TABLE breakers (
    key text NOT NULL,
    state text NOT NULL DEFAULT 'closed',
    since moment NOT NULL DEFAULT statement_timestamp(),
    reason text NOT NULL DEFAULT '',
    event_types text[] NOT NULL DEFAULT '{}'::text[],
    only_again boolean NOT NULL DEFAULT false,
    score double precision NOT NULL DEFAULT 0.0,
    rose_at moment,
    again_score double precision NOT NULL DEFAULT 0.0,
    failures integer NOT NULL DEFAULT 0,
    noted_at moment NOT NULL DEFAULT statement_timestamp(),
    first_success_at moment,
    next_probe_at moment,
    probes integer NOT NULL DEFAULT 0,
    successes integer NOT NULL DEFAULT 0,
    held text,
    held_until moment,
    held_by text NOT NULL DEFAULT '',
    held_reason text NOT NULL DEFAULT '',
    told_by text NOT NULL DEFAULT '',
    waits integer NOT NULL DEFAULT 0,
    drained_until moment,
    CONSTRAINT breakers_pkey PRIMARY KEY (key),
    CONSTRAINT breakers_held CHECK (held IS NULL AND held_until IS NULL OR (held = ANY (ARRAY['open',
        'closed'])) AND held_until IS NOT NULL),
    CONSTRAINT breakers_key CHECK (key ~~ 'type:%' OR key ~~ 'dependency:%' OR key ~~ 'flood:%'),
    CONSTRAINT breakers_numbers CHECK (LEAST(failures, probes, successes, waits) >= 0 AND GREATEST(failures, probes,
        successes, waits) <= 1000000000),
    CONSTRAINT breakers_probed CHECK (state = 'closed' OR next_probe_at IS NOT NULL),
    -- an hour more than any pause: after a failover the clock may be behind
    CONSTRAINT breakers_soon CHECK (next_probe_at <= (clock_timestamp() + '1 day 01:00:00'::interval)
        AND since <= (clock_timestamp() + '01:00:00'::interval)),
    CONSTRAINT breakers_state CHECK (state = ANY (ARRAY['closed', 'open', 'half-open']))
);
COMMENT ON TABLE breakers IS
    'One circuit breaker a row: of an event type, or of a dependency that handlers name. Closed where there '
    'is none.';
COMMENT ON COLUMN breakers.key IS
    'type:<event type>, dependency:<name>, or flood:<event type> for programs that ask flood_gate';
COMMENT ON COLUMN breakers.state IS
    'closed: handlers run; open: they do not; half-open: a few runs try whether it is over';
COMMENT ON COLUMN breakers.since IS 'of this state';
COMMENT ON COLUMN breakers.reason IS 'the last failure that says the other side is away';
COMMENT ON COLUMN breakers.event_types IS 'those that were told of it, a hundred at most';
COMMENT ON COLUMN breakers.only_again IS 'opened by what had failed before: first attempts go on';
COMMENT ON COLUMN breakers.score IS 'of first attempts; it opens where this is too high';
COMMENT ON COLUMN breakers.rose_at IS 'when the score last left zero; older successes do not count';
COMMENT ON COLUMN breakers.again_score IS 'the same of what had failed before';
COMMENT ON COLUMN breakers.failures IS 'since the score was zero';
COMMENT ON COLUMN breakers.noted_at IS 'the last outcome that was told';
COMMENT ON COLUMN breakers.first_success_at IS 'the last success of a first attempt that was told';
COMMENT ON COLUMN breakers.next_probe_at IS 'when one run may try';
COMMENT ON COLUMN breakers.probes IS 'runs that tried since it opened';
COMMENT ON COLUMN breakers.successes IS 'of these, the last in a row that went well';
COMMENT ON COLUMN breakers.held IS 'open or closed, as a person said';
COMMENT ON COLUMN breakers.told_by IS 'the role of the database that told the reason';
COMMENT ON COLUMN breakers.waits IS 'a flood gate''s: so many pieces of work were told to wait since it opened';
COMMENT ON COLUMN breakers.drained_until IS 'a flood gate''s: the last moment that it gave to work that waits';
COMMENT ON INDEX breakers_pkey IS 'whoever reports what came of a run, or wants to try: a breaker by name';

CREATE VIEW breakers_now AS
SELECT key, state, since, reason, event_types, only_again, score, again_score, failures, probes,
    CASE WHEN held_until > clock_timestamp() THEN held END AS held, held_until, held_by, held_reason, told_by, waits,
    extract(epoch FROM next_probe_at - clock_timestamp())::double precision AS next_probe_seconds
FROM breakers
WHERE state <> 'closed' OR score > 0 OR again_score > 0 OR held_until > clock_timestamp();
COMMENT ON VIEW breakers_now IS
    'The breakers that are not simply closed, by the database''s clock: few, and looked at once a second by '
    'whoever runs handlers.';

-- What a caller gives is a setting, or was counted: no more than settings may be, and than a moment's outcomes are.
CREATE FUNCTION breaker_bounded(given double precision, low double precision, high double precision)
RETURNS double precision LANGUAGE sql IMMUTABLE AS $$
    SELECT greatest(low, least(high, coalesce(given, low)))
$$;
REVOKE EXECUTE ON FUNCTION breaker_bounded(double precision, double precision, double precision) FROM PUBLIC;
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
REVOKE EXECUTE ON FUNCTION breaker_pause(integer, double precision, double precision) FROM PUBLIC;
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
    SET search_path FROM CURRENT
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
            b.waits := 0;
            b.drained_until := NULL;
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
        next_probe_at = b.next_probe_at, probes = b.probes, successes = b.successes, waits = b.waits,
        drained_until = b.drained_until
    WHERE key = noted_key;
    RETURN b.state;
END $$;
REVOKE EXECUTE ON FUNCTION breaker_noted(text, text, double precision, double precision, double precision, double precision, double precision, integer, integer, integer, text, double precision, integer, double precision, double precision) FROM PUBLIC;
COMMENT ON FUNCTION breaker_noted(text, text, double precision, double precision, double precision, double precision, double precision, integer, integer, integer, text, double precision, integer, double precision, double precision) IS
    'Takes in what some runs of a handler say about one breaker; its state then. The two pairs of numbers say '
    'what first attempts, and what had failed before, do to their scores: score becomes greatest(score + '
    'added, least). What is out of bounds is brought to the nearest: 1000 added a call, pauses of a second to '
    'a day.';

CREATE FUNCTION breaker_probe(needed text[], first_pause double precision, longest_pause double precision)
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
    SET search_path FROM CURRENT
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
REVOKE EXECUTE ON FUNCTION breaker_probe(text[], double precision, double precision) FROM PUBLIC;
COMMENT ON FUNCTION breaker_probe(text[], double precision, double precision) IS
    'Whether the caller may run one handler that needs all of these: true for one caller a pause, of all '
    'processes.';

CREATE TABLE paces (
    id bigint GENERATED BY DEFAULT AS IDENTITY,
    event_type varchar(255) NOT NULL,
    rate double precision,
    floor double precision NOT NULL,
    ceiling double precision NOT NULL,
    baseline_seconds double precision,
    recent_seconds double precision,
    share double precision,
    why text NOT NULL DEFAULT '',
    slowed_at moment,
    changed_at moment NOT NULL DEFAULT statement_timestamp(),
    tried integer NOT NULL DEFAULT 0,
    came_back integer NOT NULL DEFAULT 0,
    timed integer NOT NULL DEFAULT 0,
    log_seconds double precision NOT NULL DEFAULT 0.0,
    begun_at moment NOT NULL DEFAULT statement_timestamp(),
    noted_at moment NOT NULL DEFAULT statement_timestamp(),
    tokens double precision NOT NULL DEFAULT 0.0,
    filled_at moment NOT NULL DEFAULT statement_timestamp(),
    operation_id bigint NOT NULL DEFAULT 0,
    group_id bigint NOT NULL DEFAULT 0,
    handed_out bigint NOT NULL DEFAULT 0,
    heard bigint NOT NULL DEFAULT 0,
    heard_back bigint NOT NULL DEFAULT 0,
    heard_at moment NOT NULL DEFAULT statement_timestamp(),
    watched bigint[] NOT NULL DEFAULT '{}'::bigint[],
    CONSTRAINT paces_pkey PRIMARY KEY (id),
    CONSTRAINT paces_group UNIQUE (operation_id, event_type, group_id),
    CONSTRAINT paces_never_stop CHECK (rate IS NULL OR rate > 0.0)
);
COMMENT ON TABLE paces IS
    'How fast events of a failure group are tried again, by the schedule or by one operation, and why.';
COMMENT ON COLUMN paces.rate IS 'events a second; NULL: nothing is held back';
COMMENT ON COLUMN paces.floor IS 'the slowest, events a second, as it was when last judged';
COMMENT ON COLUMN paces.ceiling IS 'from here on nothing is held back';
COMMENT ON COLUMN paces.baseline_seconds IS 'how long its handler usually takes: a slow average';
COMMENT ON COLUMN paces.recent_seconds IS 'how long it took in the window that was judged last';
COMMENT ON COLUMN paces.share IS 'of what was tried again in that window, how much failed again: 0 to 1';
COMMENT ON COLUMN paces.why IS 'why it was slowed last; empty while nothing is held back';
COMMENT ON COLUMN paces.slowed_at IS 'since when it is held back';
COMMENT ON COLUMN paces.changed_at IS 'when its rate changed last';
COMMENT ON COLUMN paces.tried IS 'outcomes in the window that is not judged yet';
COMMENT ON COLUMN paces.log_seconds IS 'the sum of the logarithms of so many successes'' seconds';
COMMENT ON COLUMN paces.begun_at IS 'when the window began';
COMMENT ON COLUMN paces.noted_at IS 'when an outcome was noted last';
COMMENT ON COLUMN paces.tokens IS 'what may begin at once';
COMMENT ON COLUMN paces.operation_id IS 'the operation whose own pace it is; 0: the schedule''s';
COMMENT ON COLUMN paces.group_id IS 'the failure group they had when they were taken up; 0: none';
COMMENT ON COLUMN paces.handed_out IS 'a revive''s: so many of the group it has put on queues';
COMMENT ON COLUMN paces.heard IS 'a revive''s: so many outcomes of these are in its windows already';
COMMENT ON COLUMN paces.heard_back IS 'a revive''s: so many of them came back';
COMMENT ON COLUMN paces.heard_at IS 'a revive''s: when it began, or an outcome was heard last';
COMMENT ON COLUMN paces.watched IS
    'a revive''s newest messages of the group: whether they fail on their queue already';
COMMENT ON INDEX paces_pkey IS 'Django''s admin and tests: one by its number';
COMMENT ON INDEX paces_group IS
    'what a process has noted is added; how many may begin; those of one operation';
