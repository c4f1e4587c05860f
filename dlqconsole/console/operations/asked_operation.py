"""What a person asks for with a bulk button: a kind, and ticked rows, all that match, or another's items."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

from django.http import QueryDict

from dlqconsole.engine.counts.summaries import Count
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter, is_parameter
from dlqconsole.engine.errors import InvalidFilter
from dlqconsole.operations.models import ItemStatus, Kind

MOST_IDS = 1000
LONGEST_REASON = 2000
# an undo is asked for on the receipt of what it takes back
ASKED_FOR = tuple(kind for kind in Kind if kind != Kind.UNDO)


class NotUnderstood(Exception):
    """A request for an operation that cannot be understood; the sentence says why."""


@dataclass(frozen=True, slots=True)
class AskedOperation:
    """A request that was understood. Exactly one of ``ids``, ``filter`` and ``source`` is given."""

    kind: Kind
    ids: list[int] | None
    filter: DeadLetterFilter | None
    # another operation, and the outcome of those of its items that are meant
    source: tuple[int, str] | None = None

    @classmethod
    def read(cls, posted: QueryDict) -> AskedOperation:
        """Read the form's fields; raises NotUnderstood."""
        kind = posted.get("kind", "")
        if kind not in ASKED_FOR:
            raise NotUnderstood(f"Choose what to do: {', '.join(ASKED_FOR)}.")
        if posted.get("scope") in ("all", "filter"):
            return cls(Kind(kind), None, _filter(posted.get("filter", "")))
        if posted.get("scope") == "items":
            return cls(Kind(kind), None, None, _source(posted))
        return cls(Kind(kind), _ids(posted.getlist("ids")), None)

    @property
    def scope(self) -> str:
        if self.source is not None:
            return "items"
        return "rows" if self.filter is None else "all"

    @property
    def needs_typed_count(self) -> bool:
        """Discarding all that matches, and every purge, is asked twice: the person types the number."""
        return self.kind == Kind.PURGE or (self.kind == Kind.DISCARD and self.filter is not None)

    @property
    def words(self) -> list[str]:
        """What it is over, a sentence a part."""
        if self.filter is not None:
            return [f"{label} {value}" for _name, label, value in self.filter.labels()]
        if self.source is not None:
            return [f"the items of operation {self.source[0]} that ended as {self.source[1]}"]
        ids = self.ids or []
        return [f"dead letter {ids[0]}" if len(ids) == 1 else f"{len(ids):,} ticked dead letters"]

    def arguments(self) -> dict[str, Any]:
        """The scope as the operations' services take it."""
        if self.source is not None:
            return {"source": self.source}
        return {"ids": self.ids} if self.filter is None else {"filter": self.filter}


def _filter(querystring: str) -> DeadLetterFilter:
    given = QueryDict(querystring.removeprefix("?"))
    # a list may pass over what it does not know; here that would mean more dead letters than were asked for
    if unknown := [name for name in given if not is_parameter(name)]:
        raise NotUnderstood(f"The filter has a part that nobody knows: “{unknown[0][:40]}”.")
    try:
        return DeadLetterFilter.parse(given)
    except InvalidFilter as error:
        raise NotUnderstood(" ".join(error.problems)) from error


def _source(posted: QueryDict) -> tuple[int, str]:
    text, outcome = posted.get("source", ""), posted.get("outcome", "")
    if not (_is_id(text) and outcome in ItemStatus.values):
        raise NotUnderstood("Say whose items are meant, and how they ended. Open the receipt again.")
    return int(text), outcome


def _ids(texts: list[str]) -> list[int]:
    if not texts:
        raise NotUnderstood("Tick at least one dead letter, or choose all that match.")
    if len(texts) > MOST_IDS:
        raise NotUnderstood(
            f"At most {MOST_IDS:,} rows can be ticked at once; choose all that match instead."
        )
    if not all(map(_is_id, texts)):
        raise NotUnderstood("A ticked row has no valid number. Reload the list and tick again.")
    return sorted({int(text) for text in texts})


def _is_id(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 20 and int(text) < 2**63


def read_reason(posted: Mapping[str, Any]) -> str:
    """The typed reason; raises NotUnderstood when there is none, or not one that can be kept."""
    reason = str(posted.get("reason", "")).strip()
    if not reason:
        raise NotUnderstood("Say why: the audit log keeps the reason.")
    if len(reason) > LONGEST_REASON:
        raise NotUnderstood(f"The reason has {len(reason):,} characters; the limit is {LONGEST_REASON:,}.")
    if "\x00" in reason or any("\ud800" <= character <= "\udfff" for character in reason):
        raise NotUnderstood("The reason holds a character that cannot be stored.")
    return reason


def read_request_key(posted: Mapping[str, Any]) -> UUID:
    """The form's own key: the same click twice is one operation."""
    try:
        return UUID(str(posted.get("request_key", "")))
    except ValueError:
        raise NotUnderstood("The form lost its key. Go back and open it again.") from None


def read_seen(posted: Mapping[str, Any], asked: AskedOperation) -> Count | None:
    """The count that the person saw on the confirm page; None where the form came without one.

    Raises NotUnderstood when it had to be typed and was not.
    """
    text = str(posted.get("expected", ""))
    if asked.needs_typed_count and digits(posted.get("typed_count", "")) != (text or "0"):
        raise NotUnderstood(f"Type {text or 'the count'} to confirm that all of them are meant.")
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        return Count(len(asked.ids)) if asked.ids else None
    return Count(int(text), approximate=posted.get("expected_exact") == "False")


def read_typed_count(posted: Mapping[str, Any]) -> int | None:
    """The count that a person typed where nobody else can approve; None where nothing was typed."""
    text = digits(posted.get("typed_count", ""))
    return int(text) if text and len(text) < 10 else None


def digits(typed: Any) -> str:
    """14,212 and 14 212 are 14212."""
    return "".join(character for character in str(typed) if character.isascii() and character.isdigit())


def new_request_key() -> UUID:
    return uuid4()
