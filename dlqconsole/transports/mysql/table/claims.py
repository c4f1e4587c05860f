"""Claims on a table of another program."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dlqconsole.transports.mysql.messages import incoming
from dlqconsole.transports.mysql.table.columns import Table
from dlqconsole.transports.revivals import EVENT_ID, REVIVE_SEQ
from dlqconsole.transports.source import Delivery


@dataclass(frozen=True, slots=True)
class TableClaim:
    """The receipt of a message: the owner that its claim wrote, and the table."""

    token: str
    table: Table


def as_delivery(row: Mapping[str, Any], queue: str, claim: TableClaim, key: str) -> Delivery:
    """Return a claimed row; one that revives a dead letter says so, as its headers would."""
    message = incoming(row, queue, claim.token)
    message.receipt = claim
    if not claim.table.column("attempts"):
        # nobody counts there: a failure is a dead letter at once, and the schedule tries it again
        message.max_retries = 0
    of_revival = key.split(":")
    if of_revival[0] == "dlq" and len(of_revival) == 3:
        message.headers = {**message.headers, EVENT_ID: of_revival[1], REVIVE_SEQ: of_revival[2]}
    return message
