-- What a value may be, in the columns that hold it. PostgreSQL reads the condition of a domain once for a session, that
-- of a table's CHECK for each statement; and whoever breaks one is told the value's name, not the whole row.

CREATE DOMAIN moment AS timestamptz CONSTRAINT moment_in_bounds
    CHECK (VALUE > '1900-01-01 00:00:00+00'::timestamptz AND VALUE < '9999-01-01 00:00:00+00'::timestamptz);
COMMENT ON DOMAIN moment IS 'A time that every client can read.';

CREATE DOMAIN counter AS integer CONSTRAINT counter_in_bounds CHECK (VALUE >= 0 AND VALUE <= 1000000000);
COMMENT ON DOMAIN counter IS 'A count that can still be raised.';

CREATE DOMAIN small_counter AS smallint CONSTRAINT small_counter_in_bounds CHECK (VALUE >= 0 AND VALUE <= 30000);
COMMENT ON DOMAIN small_counter IS 'A small count that can still be raised.';

CREATE DOMAIN message_status AS varchar(16) CONSTRAINT message_status_known
    CHECK (VALUE IN ('pending', 'scheduled', 'waiting', 'held', 'processing'));
COMMENT ON DOMAIN message_status IS 'The state of a message on a queue.';
