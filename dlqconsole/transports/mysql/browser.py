"""The page of a MySQL queue. What changes there is committed just after our own tables say so."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from dlqconsole.core.settings import limits
from dlqconsole.engine.dead_letters.excerpts import SHOWN
from dlqconsole.engine.queues.waiting_messages import SIZE, MessagePage, StateCount
from dlqconsole.hosting.wording import gettext_lazy as _
from dlqconsole.processing.payloads import decode
from dlqconsole.transports.browser import GONE, HELD, Browser, Keep, MessageList
from dlqconsole.transports.foreign_rows import count_of, page_of, place_of, shown
from dlqconsole.transports.mysql.connection import Cursor, MysqlConnections
from dlqconsole.transports.sql import sql


class MysqlBrowser(Browser):
    """The messages of one MySQL database's queues."""

    lists = {
        "live": MessageList(_("In order"), _("Visible, in the order in which they are claimed.")),
        "leased": MessageList(
            _("In flight"), _("Held by a consumer, or left by one; the next to end first.")
        ),
        "scheduled": MessageList(_("Scheduled"), _("For later, the next due first.")),
    }

    def __init__(self, connections: MysqlConnections, prefix: str = "mysql") -> None:
        self._connections, self._prefix = connections, prefix

    def counts(self, queue: str) -> Mapping[str, int | None]:
        """Return no numbers: they would be counted for each look, and the queue's page has them."""
        return dict.fromkeys(self.lists)

    def page(self, queue: str, list_name: str, *, after: str = "") -> MessagePage:
        """Return some messages of a list, in its order."""
        place, number = place_of(after)
        moment = place.replace("T", " ").partition("+")[0]
        values = {"place": moment, "id": number, "limit": SIZE + 1}
        rows = self._read(list_name, queue, values)
        return page_of(self._name_of(queue), [row | {"preview": _text(row["preview"])} for row in rows])

    def message(self, queue: str, number: int) -> dict[str, Any] | None:
        """Return a message with the beginning of its payload; None when it is not on the queue."""
        rows = self._read("one", queue, {"id": number, "limit": SHOWN})
        return shown(self._name_of(queue), [_whole(row) for row in rows])[0] if rows else None

    def whole_payload(self, queue: str, number: int) -> tuple[bytes, bool] | None:
        """Return the payload's bytes, and whether they are JSON; None when the message has left."""
        for row in self._read("whole_payload", queue, {"id": number}):
            content = _bytes(row["message"])
            return content, decode(content, limits()).json_text is not None
        return None

    def make_due(self, queue: str, number: int, keep: Keep) -> None:
        """Make a scheduled message claimable now."""
        self._act("make_due", queue, [number], keep, {"pending": "is due already", "processing": HELD})

    def remove(self, queue: str, numbers: Sequence[int], keep: Keep, *, also_held: bool = False) -> None:
        """Remove messages that nobody holds."""
        self._act("remove", queue, numbers, keep, {"processing": HELD})

    def newest(self, queue: str) -> int:
        """Return the highest number on the queue; 0 where it is empty."""
        return int(self._read("newest", queue, {})[0]["newest"])

    def standing(self, queue: str, up_to: int) -> Sequence[StateCount]:
        """Count the queue's messages up to a number, by state."""
        rows = self._read("standing", queue, {"last": up_to})
        revived = count_of(self._name_of(queue))
        return [
            StateCount(
                row["status"],
                row["number"],
                _seconds(row["oldest_seconds"]),
                _seconds(row["newest_seconds"]),
                revived if row["status"] == "pending" else 0,
                int(row["expired"] or 0),
            )
            for row in rows
        ]

    def numbers(self, queue: str, after: int, up_to: int) -> list[int]:
        """Return the numbers between two, without those in a consumer's hands."""
        return [row["id"] for row in self._read("numbers", queue, {"after": after, "last": up_to})]

    def _act(
        self, query: str, queue: str, numbers: Sequence[int], keep: Keep, why: Mapping[str, str]
    ) -> None:
        """Lock the rows, change those that may be, and commit after our own tables have."""
        with self._connections.transaction() as cursor:
            rows = self._rows(cursor, "locked", queue, {"ids": list(numbers)})
            left = dict.fromkeys(set(numbers) - {row["id"] for row in rows}, GONE)
            left |= {row["id"]: why[row["status"]] for row in rows if row["status"] in why}
            ids = [number for number in numbers if number not in left]
            if ids:
                cursor.execute(self._sql(query, queue), {"ids": ids})
            keep(ids, left)

    def _read(self, query: str, queue: str, values: Mapping[str, Any]) -> list[dict[str, Any]]:
        return self._connections.run(lambda cursor: self._rows(cursor, query, queue, values))

    def _rows(
        self, cursor: Cursor, query: str, queue: str, values: Mapping[str, Any]
    ) -> list[dict[str, Any]]:
        cursor.execute(self._sql(query, queue), {**values, "queue": queue})
        return [_in_utc(row) for row in cursor.fetchall()]

    def _sql(self, query: str, queue: str) -> str:
        text = sql(f"mysql.{query}").replace("{listed}", sql("mysql.listed"))
        return text.replace("{row}", sql("mysql.row"))

    def _name_of(self, queue: str) -> str:
        return f"{self._prefix}:{queue}"


def _in_utc(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the row with moments that say their zone, and an owner that is text."""
    shown_row = {
        name: value.replace(tzinfo=UTC) if isinstance(value, datetime) else value
        for name, value in row.items()
    }
    if isinstance(owner := shown_row.get("owner"), bytes):
        shown_row["owner"] = _text(owner)
    return shown_row


def _whole(row: dict[str, Any]) -> dict[str, Any]:
    """Return the row with its payload as text where it is JSON as far as it was read."""
    raw, headers = _bytes(row["raw"]), row["headers"]
    is_json = row["raw_size"] > len(raw) or decode(raw, limits()).json_text is not None
    text = _text(raw) if is_json else None
    return row | {
        "text": text,
        "text_size": row["raw_size"],
        "raw": None if is_json else raw,
        "headers": None if headers is None else _text(headers),
    }


def _seconds(value: Any) -> float | None:
    return None if value is None else float(value)


def _bytes(value: str | bytes) -> bytes:
    return value.encode() if isinstance(value, str) else bytes(value)


def _text(value: str | bytes) -> str:
    return _bytes(value).decode(errors="replace").replace("\x00", "\ufffd")
