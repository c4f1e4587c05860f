"""The names of roles, and names in a statement."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.conf import settings
from psycopg.sql import SQL, Composable, Composed, Identifier

from dlqconsole.engine.grants.rights import Role

# PostgreSQL cuts longer names without a word
LONGEST_NAME = 63


@dataclass(frozen=True, slots=True)
class Names:
    """The names of roles: ``dlq_app`` with the prefix ``dlq_``. ValueError: one is too long."""

    prefix: str

    def of(self, role: Role) -> Identifier:
        """Return a role of ``rights``, quoted."""
        return Identifier(self.text(role.name))

    def text(self, name: str) -> str:
        """Return the whole name: the prefix and the rest."""
        whole = self.prefix + name
        if whole.startswith("pg_"):
            raise ValueError(f"The role {whole!r} cannot be: names that begin with pg_ are PostgreSQL's own.")
        if len(whole.encode()) > LONGEST_NAME or "\x00" in whole:
            raise ValueError(f"The role {whole!r} is longer than {LONGEST_NAME} bytes: choose a shorter one.")
        return whole


def table(name: str) -> Composed:
    """Return a table, view or sequence of ours, quoted."""
    return SQL("{}.{}").format(Identifier(settings.DLQ_SCHEMA), Identifier(name))


def commas(parts: Iterable[Composable]) -> Composed:
    """Join parts with commas."""
    return SQL(", ").join(parts)
