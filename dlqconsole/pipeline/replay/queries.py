"""The queries of a replay that take only what passed the operation it goes by."""

from dlqconsole.pipeline.sql import sql


def query(name: str) -> bytes:
    """A named query, with the condition where it says ``{passed}``."""
    return sql(f"replay.{name}").replace(b"{passed}", sql("replay.passed"))
