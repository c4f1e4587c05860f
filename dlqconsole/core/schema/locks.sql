-- The lock of the schedule (ShedLock) and its fencing tokens.

CREATE TABLE shedlock (
    name varchar(64) NOT NULL,
    lock_until timestamp NOT NULL,
    locked_at timestamp NOT NULL,
    locked_by varchar(255) NOT NULL,
    CONSTRAINT shedlock_pkey PRIMARY KEY (name)
);
COMMENT ON TABLE shedlock IS
    'ShedLock''s own table, to the letter: a Java fleet and we can share it. Its timestamps have no zone and '
    'mean UTC; rows are never deleted.';
COMMENT ON INDEX shedlock_pkey IS 'take, extend and release a lock by name';

CREATE TABLE lock_tokens (
    name varchar(64) NOT NULL,
    token bigint NOT NULL,
    locked_by varchar(255) NOT NULL,
    taken_at timestamptz NOT NULL,
    clock_drift double precision NOT NULL,
    CONSTRAINT lock_tokens_pkey PRIMARY KEY (name)
);
COMMENT ON TABLE lock_tokens IS
    'Beside each row of shedlock: how often that lock was taken, by whomever. Who writes under a lock shows '
    'the token that it had then; once the lock has been taken again the write is refused.';
COMMENT ON COLUMN lock_tokens.taken_at IS 'when the lock was taken, by the clock of the database';
COMMENT ON COLUMN lock_tokens.clock_drift IS
    'seconds that the holder''s clock was ahead of the database''s when it took the lock; about 0 with database '
    'time';
COMMENT ON INDEX lock_tokens_pkey IS 'the trigger of shedlock, and who shows a token: by the lock''s name';

-- SECURITY DEFINER: a Java fleet needs no right but those on shedlock. Every acquisition of ShedLock names locked_at, in
-- either mode; an extension and a release name lock_until only, and so never wait for who shows a token.
CREATE FUNCTION lock_taken() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path FROM CURRENT
AS $$
BEGIN
    IF TG_RELID <> 'shedlock'::regclass THEN
        RAISE EXCEPTION 'lock_taken serves shedlock alone' USING ERRCODE = 'insufficient_privilege';
    END IF;
    INSERT INTO lock_tokens AS known (name, token, locked_by, taken_at, clock_drift)
    VALUES (NEW.name, 1, NEW.locked_by, clock_timestamp(),
        extract(epoch FROM NEW.locked_at - timezone('utc', CURRENT_TIMESTAMP)))
    ON CONFLICT (name) DO UPDATE
    SET token = known.token + 1, locked_by = excluded.locked_by, taken_at = excluded.taken_at,
        clock_drift = excluded.clock_drift;
    RETURN NULL;
END $$;
REVOKE EXECUTE ON FUNCTION lock_taken() FROM PUBLIC;
COMMENT ON FUNCTION lock_taken() IS 'A lock was taken, by us or by a Java fleet: its token rises.';

CREATE TRIGGER shedlock_taken AFTER INSERT OR UPDATE OF locked_at ON shedlock
    FOR EACH ROW EXECUTE FUNCTION lock_taken();

-- FOR SHARE: until the writer has committed nobody takes the lock, so that no write slips in behind the next holder.
CREATE FUNCTION lock_token_is_current(held text, shown bigint) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
    SET search_path FROM CURRENT
AS $$
BEGIN
    PERFORM FROM lock_tokens WHERE name = held AND token = shown FOR SHARE;
    RETURN FOUND;
END $$;
REVOKE EXECUTE ON FUNCTION lock_token_is_current(text, bigint) FROM PUBLIC;
COMMENT ON FUNCTION lock_token_is_current(text, bigint) IS
    'Whether nobody has taken the lock since the one who shows this token: for the WHERE of what is written '
    'under it.';
