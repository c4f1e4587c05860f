-- name: recall
-- What was written down of these files: under their names, by their inodes, and, of packed ones, of files that they
-- may have been packed from. The bytes must prove it yet.
SELECT k.ordinal - 1, f.seen_as, f.known_as, f.inode, f.size, f.modified_ns, f.changed_ns, f.whole, f.start_byte,
    f.end_byte, f.end_line, f.digest
FROM unnest(%(places)s::uuid[], %(inodes)s::bigint[], %(families)s::uuid[])
    WITH ORDINALITY AS k (place, inode, family, ordinal)
CROSS JOIN LATERAL (
    (SELECT * FROM ingested_files i WHERE i.place = k.place ORDER BY i.id DESC LIMIT 10000)
    UNION
    (SELECT * FROM ingested_files i WHERE i.inode = k.inode AND i.root = %(root)s ORDER BY i.id DESC LIMIT 10000)
    UNION
    (SELECT * FROM ingested_files i WHERE i.family = k.family AND i.start_byte = 0 ORDER BY i.id DESC LIMIT 20)
) f

-- name: keep
-- A stretch of a file is done. ``whole_file``: it says all that the rows of this file here say, and takes their place.
WITH came AS MATERIALIZED (
    SELECT * FROM unnest(%(places)s::uuid[], %(families)s::uuid[], %(roots)s::text[], %(seen_as)s::text[],
        %(known_as)s::text[], %(inodes)s::bigint[], %(sizes)s::bigint[], %(modified)s::bigint[],
        %(changed)s::bigint[], %(wholes)s::boolean[], %(starts)s::bigint[], %(ends)s::bigint[], %(lines)s::bigint[],
        %(digests)s::uuid[])
        c (place, family, root, seen_as, known_as, inode, size, modified_ns, changed_ns, whole, start_byte, end_byte,
            end_line, digest)
), replaced AS (
    DELETE FROM ingested_files f USING came c
    WHERE %(whole_file)s AND f.place = c.place AND f.inode = c.inode
)
INSERT INTO ingested_files (place, family, root, seen_as, known_as, inode, size, modified_ns, changed_ns, whole,
    start_byte, end_byte, end_line, digest, run_id)
SELECT place, family, root, seen_as, known_as, inode, size, modified_ns, changed_ns, whole, start_byte, end_byte,
    end_line, digest, %(run)s
FROM came

-- name: seen
-- These files are still there.
UPDATE ingested_files SET seen_at = clock_timestamp()
WHERE place = ANY (%(places)s::uuid[]) AND seen_at < clock_timestamp() - interval '1 day'

-- name: forget
-- Files that nobody has seen for a long time are gone; should one come back, it is read again.
DELETE FROM ingested_files WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM ingested_files WHERE seen_at < clock_timestamp() - interval '90 days' LIMIT 10000
))
