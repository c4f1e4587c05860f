"""Purge: closed dead letters are deleted for ever, with their attempts and payload versions.

Only what is DISCARDED or SUCCEEDED. The audit log keeps the number and a SHA-256 over ``id:version`` of what
went, in the order of the ids and with commas between: whoever has a copy can prove what was deleted.
"""

from dlqconsole.operations.leases import Held
from dlqconsole.operations.pages import SetPages
from dlqconsole.operations.sql import sql


class PurgePages(SetPages):
    """Pages of a purge."""

    def __init__(self, held: Held) -> None:
        super().__init__(held, sql("purging.page"), {})
