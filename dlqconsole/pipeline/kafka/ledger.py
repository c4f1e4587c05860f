"""The read position of each partition. Losing it costs time only: what is in the tables is recognised."""

from collections.abc import Mapping

import psycopg

from dlqconsole.pipeline.database import connect, in_words
from dlqconsole.pipeline.errors import PipelineProblem
from dlqconsole.pipeline.sql import sql

from .cluster import Place


def log_name(cluster: str, topic: str) -> str:
    """A topic of one cluster, as the ledger knows it."""
    return f"kafka:{cluster}/{topic}"[:400]


def positions(database_url: str, cluster: str, places: list[Place]) -> dict[Place, int]:
    """The next offset of each partition that was read before."""
    logs = {log_name(cluster, topic): topic for topic, _partition in places}
    with connect(database_url, "kafka positions") as connection:
        try:
            rows = connection.execute(sql("kafka.positions"), {"logs": list(logs)}).fetchall()
        except psycopg.Error as error:
            raise PipelineProblem(in_words(error)) from error
    return {(logs[log], part): position for log, part, position in rows}


def keep_position(database_url: str, cluster: str, place: Place, position: int) -> None:
    """Note that a partition is read up to, not with, ``position``.

    Two jobs on one topic: the one that is behind takes nothing back.
    """
    values = {
        "log": log_name(cluster, place[0]),
        "part": place[1],
        "position": position,
    }
    _run(database_url, "kafka.keep_position", values)


def forget_position(database_url: str, cluster: str, place: Place, end: int) -> None:
    """Forget a position behind the end of its partition: the topic was made anew."""
    values = {"log": log_name(cluster, place[0]), "part": place[1], "end": end}
    _run(database_url, "kafka.forget_position", values)


def _run(database_url: str, name: str, values: Mapping[str, object]) -> None:
    with connect(database_url, "kafka positions") as connection:
        try:
            connection.execute(sql(name), values)
        except psycopg.Error as error:
            raise PipelineProblem(in_words(error)) from error
