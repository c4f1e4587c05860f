"""The list of dead letters as failure groups: how many match in each."""

from typing import Any

from dlqconsole.console.parts.shown_filter import ShownFilter
from dlqconsole.console.parts.tables import group_rows
from dlqconsole.engine.counts.matching_groups import MatchingGroups, matching_groups
from dlqconsole.engine.counts.summaries import TooSlow
from dlqconsole.hosting.wording import gettext_lazy as _

MOST = 200
TOO_SLOW = _("Counting groups takes too long. Add a type, a status or dates.")


def grouped(search: ShownFilter, window: int) -> dict[str, Any]:
    """The groups of a filter with the addresses of their matches, and the sentences about what is missing.

    ``among``: so many of the newest dead letters were looked at; 0: all of them.
    """
    problems: list[str] = []
    matches = MatchingGroups([])
    if not search.errors:
        try:
            matches = matching_groups(search.criteria, MOST, window)
        except TooSlow:
            problems = [str(TOO_SLOW)]
    rows = [row | {"matching_url": search.url_of_group(row["id"])} for row in group_rows(matches.rows)]
    return {
        "groups": rows,
        "has_more_groups": matches.has_more,
        "counted_among": matches.among,
        "problems": problems,
    }
