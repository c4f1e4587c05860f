"""The groups that burn now, with their rates in words."""

from typing import Any

from django.utils.translation import gettext as _

from dlqconsole.console.parts.tables import group_rows, pace
from dlqconsole.engine.counts import groups as group_figures

# so many times its own past is told as a multiple; less is as usual
TOLD_FROM = 1.5

type Row = dict[str, Any]


def burning_rows() -> list[Row]:
    """The groups, those first that come fastest against their own past."""
    return [_with_words(row) for row in group_rows(group_figures.burning())]


def _with_words(row: Row) -> Row:
    rate, usual = row["rate"], row["usual"]
    return row | {
        "rate_words": f"{pace(rate)}/h" if rate else "—",
        "usual_words": _against_usual(rate, usual),
        "heals_words": "—" if row["heals"] is None else f"{row['heals']:.0%}",
    }


def _against_usual(rate: float, usual: float) -> str:
    """Its rate against its own past: ``new``, ``12 times usual``, ``as usual``, ``usually 40/h``."""
    if not usual:
        return _("new")
    if rate >= usual * TOLD_FROM:
        return _("{rate} times usual").format(rate=pace(rate / usual))
    return _("as usual") if rate * TOLD_FROM >= usual else _("usually {usual}/h").format(usual=pace(usual))
