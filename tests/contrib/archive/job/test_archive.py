"""Old rows go into files, whole and verified, and can come back as they were."""

from psycopg.sql import SQL

from dlqconsole.contrib.archive.job import mark, parquet, taking
from dlqconsole.contrib.archive.job.columns import Checksum, Column
from dlqconsole.contrib.archive.job.shapes import DEAD_LETTERS, TableShape
from dlqconsole.contrib.archive.job.sql import sql
from dlqconsole.pipeline.database import connect

EVERYTHING = """
SELECT d.id, to_jsonb(d) AS letter, d.payload::text AS text,
    (SELECT jsonb_agg(to_jsonb(a) ORDER BY id) FROM dlq_attempts a WHERE a.dlq_event_id = d.id) AS attempts,
    (SELECT jsonb_agg(to_jsonb(v) || jsonb_build_object('is_null', v.payload IS NULL) ORDER BY id)
        FROM payload_versions v WHERE v.dlq_event_id = d.id) AS versions
FROM dlq_events d ORDER BY id
"""


def test_what_is_old_goes_and_comes_back_as_it_was(run_archive, old_letters, rows, folder, database_url):
    old_letters(25)
    old_letters(3, event_type="a/../b ü")
    old_letters(2, days=3)
    before = {row["id"]: row for row in rows(EVERYTHING)}
    assert run_archive() == 0

    left = rows("SELECT id, created_at FROM dlq_events")
    assert len(left) == 2
    files = rows("SELECT * FROM archive_files ORDER BY id")
    assert folder.stat().st_mode & 0o077 == 0
    assert [(file["state"], file["rows"]) for file in files] == [("kept", 3), ("kept", 25)]
    for file in files:
        where = folder / file["path"]
        assert parquet.hash_of(where) == file["sha256"]
        assert str(parquet.content_checksum(where)) == file["checksum"]
        assert where.stat().st_size == file["bytes"]
    assert rows("SELECT count(*) AS n FROM dlq_attempts")[0]["n"] == 2
    counts = rows("SELECT queue, status, rows FROM archive_counts WHERE file_id = %s", files[1]["id"])
    assert {tuple(row.values()) for row in counts} == {
        ("order.created", "SUCCEEDED", 12), ("order.created", "DISCARDED", 13)}  # fmt: skip
    audited = rows("SELECT * FROM audit_log WHERE action = 'archive' ORDER BY id")
    assert [(row["actor"], row["detail"]["rows"]) for row in audited] == [("archive", 3), ("archive", 25)]
    assert rows("SELECT status, done, counts FROM pipeline_runs")[0] == {
        "status": "completed", "done": 28, "counts": {"archived": 28, "files": 2}}  # fmt: skip

    with connect(database_url, "test") as connection:
        for letter_id in before.keys() - {row["id"] for row in left}:
            restore(connection, folder, letter_id)
    assert {row["id"]: row for row in rows(EVERYTHING)} == before
    assert {row["state"] for row in rows("SELECT state FROM archive_files")} == {"gone"}
    assert [path.name for path in folder.rglob("*") if path.is_file()] == [mark.MARK]


def restore(connection, folder, letter_id):
    connection.execute(sql("archive.canonical"))
    file_id, _, _, _ = taking.find(connection, folder, letter_id)

    def back(shape, rows):
        connection.execute(sql("archive.restored"), {"id": letter_id, "file": file_id, "actor": "user:1"})
        taking.put_back(connection, shape, *rows)

    taking.take_out(connection, folder, file_id, [letter_id], back)


HOSTILE = [
    "",
    "NULL",
    "\\N",
    '"',
    "\\",
    "\x01\x1f\x7f\x08\x0c\n\r\t",
    "ü€𝄞\u2028",
    "{}",
    ",",
    " ",
    "‹›",
    "\ufeff",
]


def test_postgresql_and_the_file_agree_on_every_text(database_url):
    found = Checksum()
    found.add([[text, None, "1"] for text in HOSTILE])
    query = sql("archive.checksum").decode()
    query = query.replace("{row}", "ARRAY[t.text, NULL, '1']").replace(
        "{table}", "unnest(%(texts)s::text[]) WITH ORDINALITY"
    )
    query = query.replace(" t WHERE t.id = ANY (%(ids)s)", " t (text, id)")
    with connect(database_url, "test") as connection:
        assert connection.execute(query, {"texts": HOSTILE}).fetchone() == (len(HOSTILE), str(found))


MOMENTS = (
    "1900-01-01T00:00:00.000001Z",
    "1969-12-31T23:59:59.999999Z",
    "2300-02-28T23:59:59.999999Z",
    "9998-12-31T23:59:59.999999Z",
)


def test_a_moment_comes_back_to_the_microsecond(database_url):
    column = Column("at", "timestamp with time zone")
    there = SQL("SELECT {}, t.at FROM (SELECT %s::timestamptz AS at) t").format(column.as_text("t"))
    back = SQL("SELECT {} = %s::timestamptz").format(column.from_text(SQL("%s::text")))
    with connect(database_url, "test") as connection:
        for moment in MOMENTS:
            text, at = connection.execute(there, [moment]).fetchone()
            assert column.text(at) == text
            assert connection.execute(back, [text, text, moment]).fetchone() == (True,)


def test_every_column_is_archived(database_url):
    with connect(database_url, "test") as connection:
        shape = TableShape.of(connection, DEAD_LETTERS)
    names = [part.name for part in shape.parts]
    assert {"id", "payload_raw", "version", "come_backs", "attempts", "payload_versions"} <= set(names)
    assert TableShape.read(shape.describe()) == shape
