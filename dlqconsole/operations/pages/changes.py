"""The rules for an item that changed since the freezing: the same for skipping and for counting."""

from enum import StrEnum
from functools import cache

from dlqconsole.operations.sql import sql

_RULES = ("payload", "state", "anything")
_WORDS = ("edited", "done_by")


class CountsAsChanged(StrEnum):
    """The sorts of change that a kind of operation minds; each includes those before it."""

    PAYLOAD = "payload"
    STATE = "state"
    # another category, a restore and a discard again, …; from the moment of the request on
    ANYTHING = "anything"

    @property
    def how_many(self) -> str:
        """The query that counts the changed items among an operation's first."""
        return self.put_into(sql("changes.count"))

    @property
    def among(self) -> str:
        """The query that names the changed ones among some of its dead letters."""
        return self.put_into(sql("changes.among"))

    @property
    def stale(self) -> str:
        """The part of a page's statement that selects the changed items, with the reason."""
        return self.put_into(sql("changes.stale"))

    def put_into(self, query: str) -> str:
        """Put the rule into a query for {is_changed}, and its reason for {why}."""
        return query.replace("{is_changed}", _texts()[self]).replace("{why}", _texts()[f"why_{self}"])


@cache
def _texts() -> dict[str, str]:
    """The rules and their reasons as SQL; each may use those before it."""
    texts = {name: sql(f"changes.{name}") for name in _WORDS}
    for name in (*_RULES, *(f"why_{rule}" for rule in _RULES)):
        texts[name] = sql(f"changes.{name}").format(**texts)
    return texts
