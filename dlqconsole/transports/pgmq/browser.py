"""The page of a PGMQ queue."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from contextvars import copy_context
from typing import Any

from dlqconsole.core.named_sql import fetch_column, fetch_dicts
from dlqconsole.engine.dead_letters.excerpts import SHOWN
from dlqconsole.engine.queues.waiting_messages import SIZE, MessagePage, StateCount
from dlqconsole.hosting.wording import gettext_lazy as _
from dlqconsole.transports.browser import GONE, HELD, Browser, Keep, MessageList
from dlqconsole.transports.foreign_rows import count_of, page_of, place_of, shown
from dlqconsole.transports.pgmq.tables import Tables, open_queue
from dlqconsole.transports.sql import sql


class PgmqBrowser(Browser):
    """The messages in a queue's own table, which we read and lock; PGMQ's functions change them."""

    lists = {
        "live": MessageList(
            _("In order"), _("Visible, in flight or put off by a consumer, as they were sent.")
        ),
        "scheduled": MessageList(_("Scheduled"), _("For later, and never read, the next due first.")),
    }
    knows_holders = False
    prefix = "pgmq"

    def counts(self, queue: str) -> Mapping[str, int | None]:
        """Return the number of messages of each list."""
        with self._open(queue) as tables:
            [row] = fetch_dicts(tables.within("pgmq.metrics"), {})
        return {"live": row["visible"] + row["in_flight"], "scheduled": row["scheduled"]}

    def page(self, queue: str, list_name: str, *, after: str = "") -> MessagePage:
        """Return some messages of a list, in its order."""
        place, number = place_of(after)
        with self._open(queue) as tables:
            values = {"place": place, "id": number, "limit": SIZE + 1}
            return page_of(self._name_of(queue), fetch_dicts(tables.within(f"pgmq.{list_name}"), values))

    def message(self, queue: str, number: int) -> dict[str, Any] | None:
        """Return a message with the beginning of its payload; None when it is not on the queue."""
        with self._open(queue) as tables:
            rows = fetch_dicts(tables.within("pgmq.one"), {"id": number, "limit": SHOWN})
        return shown(self._name_of(queue), rows)[0] if rows else None

    def whole_payload(self, queue: str, number: int) -> tuple[bytes, bool] | None:
        """Return the payload's bytes, and whether they are JSON; None when the message has left."""
        with self._open(queue) as tables:
            texts = fetch_column(tables.within("pgmq.whole_payload"), {"id": number})
        return ((texts[0] or "").encode(), texts[0] is not None) if texts else None

    def make_due(self, queue: str, number: int, keep: Keep) -> None:
        """Make a message visible that is not. A consumer may hold it, where it was read before."""
        here = copy_context()
        with self._open(queue) as tables:
            rows = fetch_dicts(tables.within("pgmq.locked"), {"ids": [number]})
            if not rows or rows[0]["status"] == "pending":
                here.run(keep, [], {number: "is due already" if rows else GONE})
                return
            fetch_column(tables.within("pgmq.set_vt"), {"ids": [number], "seconds": 0})
            here.run(keep, [number], {})

    def remove(self, queue: str, numbers: Sequence[int], keep: Keep, *, also_held: bool = False) -> None:
        """Delete messages, those that were read and are not visible only if ``also_held``."""
        here = copy_context()
        with self._open(queue) as tables:
            rows = fetch_dicts(tables.within("pgmq.locked"), {"ids": list(numbers)})
            left = dict.fromkeys(set(numbers) - {row["id"] for row in rows}, GONE)
            if not also_held:
                left |= {row["id"]: HELD for row in rows if row["status"] == "processing"}
            ids = [number for number in numbers if number not in left]
            if ids:
                fetch_column(sql("pgmq.delete"), {"queue": tables.name, "ids": ids})
            here.run(keep, ids, left)

    def newest(self, queue: str) -> int:
        """Return the highest number on the queue; 0 where it is empty."""
        with self._open(queue) as tables:
            return int(fetch_column(tables.within("pgmq.newest"), {})[0])

    def standing(self, queue: str, up_to: int) -> Sequence[StateCount]:
        """Count the queue's messages up to a number, by state."""
        with self._open(queue) as tables:
            rows = fetch_dicts(tables.within("pgmq.standing"), {"last": up_to})
        revived = count_of(self._name_of(queue))
        return [StateCount(**row | {"revived": revived if row["status"] == "pending" else 0}) for row in rows]

    def numbers(self, queue: str, after: int, up_to: int) -> list[int]:
        """Return the numbers between two, without those that were read and are not visible."""
        with self._open(queue) as tables:
            return fetch_column(tables.within("pgmq.numbers"), {"after": after, "last": up_to})

    def _open(self, queue: str) -> AbstractContextManager[Tables]:
        return open_queue(queue)

    def _name_of(self, queue: str) -> str:
        return f"{self.prefix}:{queue}"
