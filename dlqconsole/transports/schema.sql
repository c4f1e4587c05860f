-- The tables of transports.

CREATE TABLE attached_queues (
    name varchar(255) NOT NULL,
    transport varchar(16) NOT NULL,
    remote_name varchar(249) NOT NULL,
    max_deliveries integer NOT NULL DEFAULT 5,
    lease_seconds integer NOT NULL DEFAULT 60,
    paused boolean NOT NULL DEFAULT false,
    columns jsonb NOT NULL DEFAULT '{}'::jsonb,
    in_doubt jsonb NOT NULL DEFAULT '{}'::jsonb,
    created_at timestamptz NOT NULL DEFAULT statement_timestamp(),
    seen_at timestamptz,
    CONSTRAINT attached_queues_pkey PRIMARY KEY (name),
    CONSTRAINT attached_queues_once UNIQUE (transport, remote_name),
    CONSTRAINT attached_queues_bounds CHECK (lease_seconds >= 1 AND max_deliveries >= 1)
);
COMMENT ON TABLE attached_queues IS
    'A queue of another system. Its name, <transport>:<remote_name>, is its dead letters'' queue.';
COMMENT ON COLUMN attached_queues.transport IS 'its system, as its name begins';
COMMENT ON COLUMN attached_queues.max_deliveries IS
    'deliveries after which a message that nobody completed becomes a dead letter';
COMMENT ON COLUMN attached_queues.lease_seconds IS 'seconds one of our own consumers holds a message';
COMMENT ON COLUMN attached_queues.paused IS
    'nothing is sent there, and consumers of ours claim nothing; those of its own system go on';
COMMENT ON COLUMN attached_queues.columns IS
    'of a table of another program: what it calls the columns that we read and write, by our names';
COMMENT ON COLUMN attached_queues.in_doubt IS
    'pages that became dead letters here and are perhaps not acknowledged there: digests of their messages, and how many';
COMMENT ON COLUMN attached_queues.seen_at IS 'when its system last answered, to about 5 s';
COMMENT ON INDEX attached_queues_pkey IS 'an attached queue by its name here';
COMMENT ON INDEX attached_queues_once IS 'no queue is attached twice';

CREATE TABLE dead_letter_looks (
    transport varchar(16) NOT NULL,
    tried_at timestamptz NOT NULL DEFAULT statement_timestamp(),
    looked_at timestamptz,
    problem text NOT NULL DEFAULT '',
    queues jsonb,
    CONSTRAINT dead_letter_looks_pkey PRIMARY KEY (transport)
);
COMMENT ON TABLE dead_letter_looks IS
    'Where the queues of a system with attached ones dead-letter to, when somebody last looked.';
COMMENT ON COLUMN dead_letter_looks.transport IS 'the system, as its queues'' names begin';
COMMENT ON COLUMN dead_letter_looks.tried_at IS 'the last look, also one that came to nothing: the next one waits for it';
COMMENT ON COLUMN dead_letter_looks.looked_at IS 'the last look that saw something';
COMMENT ON COLUMN dead_letter_looks.problem IS 'why nobody could look; empty: the last look saw something';
COMMENT ON COLUMN dead_letter_looks.queues IS
    'of that look: each dead-letter queue (null: what fails is lost), the queues whose failures come to it, how many stand '
    'on it, and whether somebody there takes from it; NULL: the system cannot tell';
COMMENT ON INDEX dead_letter_looks_pkey IS 'the last look at a system';

CREATE TABLE source_positions (
    log varchar(400) NOT NULL,
    part integer NOT NULL,
    position bigint NOT NULL,
    read_at timestamptz NOT NULL DEFAULT statement_timestamp(),
    CONSTRAINT source_positions_pkey PRIMARY KEY (log, part)
);
COMMENT ON TABLE source_positions IS
    'How far a partition of a log was read. Losing it costs time only: the tables know what is done.';
COMMENT ON COLUMN source_positions.log IS 'a topic of one cluster';
COMMENT ON COLUMN source_positions.position IS 'the next offset';
COMMENT ON INDEX source_positions_pkey IS 'how far the partitions of a log were read';
