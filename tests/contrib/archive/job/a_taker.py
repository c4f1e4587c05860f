"""A process of its own that takes a dead letter out of the archive: DATABASE_URL FOLDER NUMBER."""

import sys
from pathlib import Path

from dlqconsole.contrib.archive.job import taking
from dlqconsole.contrib.archive.job.sql import sql
from dlqconsole.pipeline.database import connect

url, folder, number = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])

with connect(url, "taker") as connection:
    file_id, *_ = taking.find(connection, folder, number)

    def back(shape, rows):
        values = {"id": number, "file": file_id, "actor": "user:1"}
        connection.execute(sql("archive.restored"), values)
        taking.put_back(connection, shape, *rows)

    taking.take_out(connection, folder, file_id, [number], back)
