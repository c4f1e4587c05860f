"""The parts that insight adds to other pages."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest

from dlqconsole.contrib.insight import drift
from dlqconsole.contrib.insight.pages.changes import change_rows
from dlqconsole.engine.access_scope import current_access
from dlqconsole.features import Card


def on_group(request: HttpRequest, group_id: int, figures: Mapping[str, Any]) -> Card | None:
    """The common ground of a group, and what changed shortly before it began: for who sees all of it."""
    if not figures["is_whole"]:
        return None
    began = figures["first_seen"]
    changes = drift.shortly_before(figures["event_type"], began) if began else ()
    return Card("insight/group.html", {"group_id": group_id, "changes": change_rows(changes)})


def on_reports(request: HttpRequest) -> Card | None:
    """The way to the changes in payloads, which are for who sees everything."""
    return None if current_access().is_limited else Card("insight/reports.html", {})
