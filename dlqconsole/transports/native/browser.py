"""The page of a queue of our own."""

from collections.abc import Mapping, Sequence
from typing import Any

from dlqconsole.core.named_sql import fetch_dicts
from dlqconsole.engine.queues import metrics as queue_metrics
from dlqconsole.engine.queues import waiting_messages
from dlqconsole.engine.queues.waiting_messages import MessagePage, StateCount
from dlqconsole.hosting.database import transaction
from dlqconsole.hosting.wording import gettext_lazy as _
from dlqconsole.processing.inputs.sentences import stored
from dlqconsole.transports.browser import GONE, HELD, Browser, Keep, MessageList
from dlqconsole.transports.sql import sql

_WHY = {
    "processing": HELD,
    "held": stored("is held back until the undo window of its operation has passed"),
    "waiting": stored("stands behind an earlier message of its group"),
    "pending": stored("is due already"),
}


class NativeBrowser(Browser):
    """The messages in ``message_queue``."""

    lists = {
        "live": MessageList(
            _("In order"), _("Claimable or in flight, in the order in which they are claimed.")
        ),
        "scheduled": MessageList(_("Scheduled"), _("For later, the next due first.")),
        "waiting": MessageList(
            _("In groups"), _("Each behind an earlier message of its group, or a dead letter of it.")
        ),
        "held": MessageList(
            _("Held back"), _("Revived, and held back until the undo window of their operation has passed.")
        ),
    }

    def counts(self, queue: str) -> Mapping[str, int | None]:
        """Return the number of messages of each list."""
        figures = queue_metrics.live_of(queue)
        live = {"live": figures["visible"] + figures["in_flight"]}
        return live | {name: figures[name] for name in ("scheduled", "waiting", "held")}

    def page(self, queue: str, list_name: str, *, after: str = "") -> MessagePage:
        """Return some messages of a list, in its order."""
        return waiting_messages.page(queue, list_name, after=after)

    def message(self, queue: str, number: int) -> dict[str, Any] | None:
        """Return a message with the beginning of its payload; None when it is not on the queue."""
        return waiting_messages.message(queue, number)

    def whole_payload(self, queue: str, number: int) -> tuple[bytes, bool] | None:
        """Return the payload's bytes, and whether they are JSON; None when the message has left."""
        return waiting_messages.whole_payload(queue, number)

    def make_due(self, queue: str, number: int, keep: Keep) -> None:
        """Make a scheduled message claimable now, or when the earlier ones of its group have left."""
        self._act("native.make_due", queue, [number], keep, ("scheduled",))

    def remove(self, queue: str, numbers: Sequence[int], keep: Keep, *, also_held: bool = False) -> None:
        """Remove messages that nobody holds. A revived dead letter returns to its former state by itself."""
        self._act("native.remove", queue, numbers, keep, ("pending", "scheduled", "waiting", "held"))

    def newest(self, queue: str) -> int:
        """Return the newest message of any queue: later ones have a higher number."""
        return waiting_messages.last_message()

    def standing(self, queue: str, up_to: int) -> Sequence[StateCount]:
        """Count the queue's messages up to a number, by state."""
        return waiting_messages.standing(queue, up_to)

    def numbers(self, queue: str, after: int, up_to: int) -> list[int]:
        """Refuse: a purge selects in one statement with its own items (``freezing.messages_of``)."""
        raise NotImplementedError

    def _act(self, query: str, queue: str, numbers: Sequence[int], keep: Keep, takes: Sequence[str]) -> None:
        values = {"queue": queue, "ids": list(numbers)}
        with transaction.atomic():
            states = {row["id"]: row["status"] for row in fetch_dicts(sql("native.locked"), values)}
            ids = [number for number, status in states.items() if status in takes]
            left = {number: _WHY.get(states.get(number, ""), GONE) for number in numbers if number not in ids}
            if ids:
                fetch_dicts(sql(query), {"ids": ids})
            keep(ids, left)
