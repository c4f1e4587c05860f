"""Named queries in .sql files. Each query is one atomic statement."""

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

_NAME = re.compile(r"^-- name: (\w+)$", re.MULTILINE)


def load(folder: Path, schema: Callable[[], str] = lambda: "public") -> Callable[[str], str]:
    """Return a function from ``noun.verb`` to the text of that query in ``noun.sql``, in or below the folder.

    A file is read when first asked for. A name that is not there is a KeyError. ``{schema}`` in a query is
    the schema of the tables, for names that no search_path may lead elsewhere.
    """

    @cache
    def queries(noun: str) -> dict[str, str]:
        (file,) = folder.rglob(f"{noun}.sql")
        text = file.read_text(encoding="utf-8")
        if "{schema}" in text:  # else nobody is asked: some queries are read while modules are imported
            text = text.replace("{schema}", schema())
        parts = _NAME.split(text)
        return dict(zip(parts[1::2], (text.strip() for text in parts[2::2]), strict=True))

    def sql(name: str) -> str:
        noun, verb = name.split(".")
        return queries(noun)[verb]

    return sql
