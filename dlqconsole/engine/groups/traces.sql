-- The groups of a pasted stack trace.

-- name: groups_of
-- The best first: frames and sentence, the sentence alone, the frames alone. A sentence without a word tells nothing.
WITH said AS MATERIALIZED (
    SELECT dead_letter_message(line) AS message FROM unnest(%(lines)s::text[]) line
), walked AS MATERIALIZED (
    SELECT frames FROM (VALUES (dead_letter_frames(%(frames)s)), (dead_letter_frames(%(start)s))) f (frames)
    WHERE frames <> ''
), fitting AS (
    SELECT g.id, g.message, g.message ~ '[[:alpha:]]{3}' AND g.message NOT IN ('<value>', '<code>')
            AND g.message IN (SELECT message FROM said) AS says,
        g.frames IN (SELECT frames FROM walked) AS walks
    FROM failure_groups g
)
SELECT id, message, 2 * says::integer + walks::integer AS fits FROM fitting WHERE says OR walks
ORDER BY fits DESC, id LIMIT 100
