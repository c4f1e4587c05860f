"""The pipeline's named queries, one atomic statement each: ``sql("sink.known")``."""

import re
from functools import cache
from pathlib import Path

_NAME = re.compile(r"^-- name: (\w+)$", re.MULTILINE)


@cache
def _queries(noun: str) -> dict[str, str]:
    parts = _NAME.split((Path(__file__).parent / f"{noun}.sql").read_text(encoding="utf-8"))
    return dict(zip(parts[1::2], (text.strip() for text in parts[2::2]), strict=True))


def sql(name: str) -> bytes:
    """The text of the query ``noun.verb``; KeyError when there is none."""
    noun, verb = name.split(".")
    return _queries(noun)[verb].encode()
