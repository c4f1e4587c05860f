"""The named queries of the archive's job: ``sql("archive.known")``. No Django."""

from pathlib import Path

from dlqconsole.core.named_sql import load

_texts = load(Path(__file__).parent)


def sql(name: str) -> bytes:
    """The text of the query ``noun.verb``; KeyError when there is none."""
    return _texts(name).encode()
