"""PGMQ as its users have it: the SQL that its own package ships, or that in the file of PGMQ_SQL."""

import os
from importlib.resources import files
from pathlib import Path


def pgmq_sql() -> str:
    """The statements that make PGMQ in a database without it."""
    path = os.environ.get("PGMQ_SQL")
    return Path(path).read_text() if path else files("pgmq").joinpath("sql/pgmq.sql").read_text()
