"""Writes down in the database which query each index serves: ``\\d+`` shows it, and so does ``schema.sql``."""

from collections.abc import Mapping

from django.db import migrations


def say_what_indexes_serve(served: Mapping[str, str]) -> migrations.RunSQL:
    """The migration that comments on indexes by name. Nothing undoes it: an index takes its comment with it."""
    statements = [
        f"COMMENT ON INDEX {name} IS '{words.replace("'", "''")}'" for name, words in served.items()
    ]
    return migrations.RunSQL(["; ".join(statements)], migrations.RunSQL.noop)


def drop_unasked(*names: str) -> migrations.RunSQL:
    """The migration that drops the ``LIKE`` indexes which Django makes beside a key of text: no query asks them."""
    return migrations.RunSQL([f"DROP INDEX IF EXISTS {', '.join(names)}"], migrations.RunSQL.noop)
