-- The tables of the MySQL lease queue, for MySQL 8.0.13 or later and MariaDB 10.6 or later. An administrator can
-- run this file as it is: mariadb DATABASE < mysql_tables.sql. Running it again changes nothing.
--
-- A producer needs INSERT and names only queue and message:
--     INSERT INTO dlq_message_queue (queue, message) VALUES ('orders', '{"order_id": 1}');
-- or, for later: ..., available_at) VALUES (..., UTC_TIMESTAMP(6) + INTERVAL 60 SECOND);
-- All moments are UTC, whatever a session's time_zone. Empty the table with DELETE, never with TRUNCATE, which
-- would give out the same ids again.

-- name: messages
CREATE TABLE IF NOT EXISTS dlq_message_queue (
    id BIGINT NOT NULL AUTO_INCREMENT,
    queue VARCHAR(64) NOT NULL,
    -- the exact bytes that were sent
    message LONGBLOB NOT NULL,
    headers JSON NULL,
    -- who claimed it last, and when
    owner VARCHAR(255) NULL,
    dequeued_time DATETIME(6) NULL,
    -- random for each claim; NULL: nobody holds it
    claim_token CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NULL,
    -- claims so far
    attempts INT NOT NULL DEFAULT 0,
    -- NULL: now. Else when its delay, or the lease of whoever holds it, ends
    available_at DATETIME(6) NULL,
    -- since when it may be claimed
    due_at DATETIME(6) NOT NULL DEFAULT (UTC_TIMESTAMP(6)),
    created_at DATETIME(6) NOT NULL DEFAULT (UTC_TIMESTAMP(6)),
    PRIMARY KEY (id),
    -- serves the claim (available_at IS NULL, in the order of ids) and what comes due (available_at, a range)
    KEY dlq_message_queue_claim (queue, available_at, id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- name: keys
-- What was sent under a key of the sender's. A key outlives its message: repeated late, it still sends nothing.
CREATE TABLE IF NOT EXISTS dlq_message_keys (
    queue VARCHAR(64) NOT NULL,
    dedupe_key VARCHAR(255) NOT NULL,
    message_id BIGINT NOT NULL,
    created_at DATETIME(6) NOT NULL DEFAULT (UTC_TIMESTAMP(6)),
    PRIMARY KEY (queue, dedupe_key),
    KEY dlq_message_keys_age (created_at),
    -- which revival a message is, in a table that has no column for headers
    KEY dlq_message_keys_message (message_id)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
