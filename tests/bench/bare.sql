-- What the machine itself can do: tables with nothing to promise. The first has an id only; the second has what
-- any queue needs, an index to find the next message, and room for its claim.
CREATE TABLE bare_log (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    queue text NOT NULL,
    payload jsonb
);
CREATE TABLE bare_queue (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    queue text NOT NULL,
    payload jsonb,
    status text NOT NULL DEFAULT 'pending',
    lease_until timestamptz
) WITH (fillfactor = 70);
CREATE INDEX bare_queue_next ON bare_queue (queue, id);

-- Dead letters as the source design has them, with its four indexes; no triggers, no figures kept.
CREATE TABLE bare_letters (
    id bigserial PRIMARY KEY,
    event_type varchar(255) NOT NULL,
    payload jsonb NOT NULL,
    error_reason text NOT NULL,
    error_stacktrace text,
    status varchar(20) NOT NULL,
    retry_count int NOT NULL DEFAULT 0,
    retry_after timestamptz NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX bare_letters_status ON bare_letters (status);
CREATE INDEX bare_letters_status_retry_after ON bare_letters (status, retry_after);
CREATE INDEX bare_letters_event_type ON bare_letters (event_type);
CREATE INDEX bare_letters_created_at ON bare_letters (created_at);
