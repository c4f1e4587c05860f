"""What counts as changed since it was frozen: one rule for what is skipped and for how many are told."""

from enum import StrEnum
from functools import cache

from dlqconsole.operations.sql import sql

_RULES = ("payload", "state", "anything")
_WORDS = ("edited", "done_by")


class CountsAsChanged(StrEnum):
    """Each sort of change includes those before it. A kind of operation says which it minds."""

    PAYLOAD = "payload"
    STATE = "state"
    # another category, a restore and a discard again, …; from the moment that it was asked for
    ANYTHING = "anything"

    @property
    def how_many(self) -> str:
        """The query that counts what would be skipped of an operation's first."""
        return self.put_into(sql("changes.count"))

    @property
    def among(self) -> str:
        """The query that names which of some of its dead letters these are."""
        return self.put_into(sql("changes.among"))

    @property
    def stale(self) -> str:
        """The part of a page's statement that names what is skipped, and why."""
        return self.put_into(sql("changes.stale"))

    def put_into(self, query: str) -> str:
        """A query that asks for the rule by {is_changed}, and for its reason by {why}."""
        return query.replace("{is_changed}", _texts()[self]).replace("{why}", _texts()[f"why_{self}"])


@cache
def _texts() -> dict[str, str]:
    """The rules and their reasons; each may stand on those before it."""
    texts = {name: sql(f"changes.{name}") for name in _WORDS}
    for name in (*_RULES, *(f"why_{rule}" for rule in _RULES)):
        texts[name] = sql(f"changes.{name}").format(**texts)
    return texts
