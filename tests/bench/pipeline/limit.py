"""The least there is to do: parse each line, and COPY it into a table without keys.

``python -m tests.bench.pipeline.limit FOLDER SHARE OF``: its share of the files.
"""

import os
import sys
from pathlib import Path

import orjson
import psycopg

TABLE = """CREATE TABLE IF NOT EXISTS bare_events
    (event_type text, source text, source_key text, record jsonb)"""


def main(folder: str, share: str, of: str) -> None:
    """Bring its share of the folder in."""
    files = sorted(Path(folder).iterdir())[int(share) :: int(of)]
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as connection:
        for file in files:
            with connection.cursor() as cursor, cursor.copy("COPY bare_events FROM STDIN") as copy:
                for line in file.open("rb"):
                    event = orjson.loads(line)
                    data = orjson.dumps(event["data"]).decode()
                    copy.write_row((event["type"], event["source"], event["id"], data))


if __name__ == "__main__":
    main(*sys.argv[1:])
