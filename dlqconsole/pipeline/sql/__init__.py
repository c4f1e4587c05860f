"""The pipeline's named queries, one atomic statement each: ``sql("sink.known")``."""

from pathlib import Path

from dlqconsole.core.named_sql import load

_text = load(Path(__file__).parent)


def sql(name: str) -> bytes:
    """The text of the query ``noun.verb``; KeyError when there is none."""
    return _text(name).encode()
