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
