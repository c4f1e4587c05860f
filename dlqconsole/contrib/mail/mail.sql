-- name: claim
-- The number of the try, for the one who may send now: a new day, or a try that failed, or whose process died.
INSERT INTO report_mails AS m (recipient, day, tries, next_at)
VALUES (%(recipient)s, %(day)s, 1, clock_timestamp() + interval '5 minutes')
ON CONFLICT (recipient) DO UPDATE
SET day = excluded.day, sent_at = NULL,
    tries = CASE WHEN m.day = excluded.day THEN m.tries + 1 ELSE 1 END,
    next_at = clock_timestamp() + CASE WHEN m.day = excluded.day
        THEN least(m.tries + 1, 12) * interval '5 minutes' ELSE interval '5 minutes' END
WHERE m.day < excluded.day OR m.day = excluded.day AND m.sent_at IS NULL AND m.next_at <= clock_timestamp()
RETURNING m.tries

-- name: sent
UPDATE report_mails SET sent_at = clock_timestamp()
WHERE recipient = %(recipient)s AND day = %(day)s AND tries = %(tries)s
