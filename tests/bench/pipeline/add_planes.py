"""Every plane that a flight names and nobody knew, added to the registry: ``… add_planes FOLDER``."""

import csv
import os
import sys
from pathlib import Path

import psycopg

UNKNOWN = """SELECT DISTINCT payload -> 'data' ->> 'tailnum' FROM dlq_events
    WHERE error_class = 'PlaneUnknown' AND payload -> 'data' ->> 'tailnum' IS NOT NULL"""
PLANE = {"model": "A380", "manufacturer": "AIRBUS", "seats": "500"}


def main(folder: str) -> None:
    """Write them behind the others."""
    registry = Path(folder, "planes.csv")
    with registry.open(newline="") as file:
        columns = next(csv.reader(file))
    with psycopg.connect(os.environ["DATABASE_URL"]) as connection, registry.open("a", newline="") as file:
        lines = csv.DictWriter(file, columns, restval="NA", lineterminator="\n")
        lines.writerows({"tailnum": tailnum} | PLANE for (tailnum,) in connection.execute(UNKNOWN))


if __name__ == "__main__":
    main(*sys.argv[1:])
