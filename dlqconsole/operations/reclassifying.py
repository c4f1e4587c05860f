"""Re-classify: categories and groups anew, by the rules as they are now or as a person says."""

from collections.abc import Mapping
from typing import Any

from dlqconsole.operations.leases import Held
from dlqconsole.operations.pages import SetPages
from dlqconsole.operations.sql import sql


class ReclassifyPages(SetPages):
    """Pages of a re-classification. What is being retried, or locked, is met again by the next sweep."""

    def __init__(self, held: Held, parameters: Mapping[str, Any]) -> None:
        values = {"category": parameters.get("category", "")}
        super().__init__(held, sql("reclassifying.page"), values)


class UndoReclassifyPages(SetPages):
    """Pages that give back the categories and groups of before."""

    def __init__(self, held: Held) -> None:
        super().__init__(held, sql("reclassifying.undo"), {})
