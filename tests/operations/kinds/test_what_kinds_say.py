"""What a kind need not say of itself, and what the pages and commands take from it."""

import re
from pathlib import Path

import pytest

from dlqconsole.operations import kinds
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.operations.options import CANARY

ICONS = Path(__file__).parents[3] / "static/console/icons.svg"


def test_a_kind_without_a_title_is_called_as_on_its_button():
    assert [kinds.get(name).title for name in ("discard", "edit", "reclassify")] == [
        "Discard",
        "Edit",
        "Re-classify",
    ]
    assert (kinds.get("retry").label, kinds.get("retry").title) == ("Retry now", "Retry")


def test_one_row_is_told_of_as_many_are():
    assert [kinds.get(name).did for name in ("discard", "revive", "export")] == [
        "discarded",
        "revived",
        "exported",
    ]
    assert (kinds.get("retry").past, kinds.get("retry").did) == ("succeeded", "retried")


def test_buttons_of_what_asks_for_more_than_a_reason_say_so():
    assert {kind.name for kind in kinds.every() if kind.asks_more} == {"edit", "reclassify"}


def test_each_has_an_icon_that_is_drawn():
    drawn = set(re.findall(r'id="([a-z-]+)"', ICONS.read_text(encoding="utf-8")))
    assert {kind.icon for kind in kinds.every()} <= drawn


def test_an_empty_canary_is_the_one_that_the_help_tells_of():
    assert CANARY.read({"probes": ""}) == {"probes": 5, "threshold": 10, "watch_seconds": 60}


def test_only_what_is_unusual_is_put_into_words():
    revive, export = kinds.get("revive"), kinds.get("export")
    assert revive.words(revive.read({})) == []
    asked = {"no_order": True, "to_queue": "late", "undo_seconds": 3600, "rate": 1500}
    assert revive.words(revive.read(asked)) == [
        "held back for 3,600 s",
        "to the queue late",
        "without the order of their groups",
        "1,500 a second at most",
    ]
    assert export.words(export.read({"unmasked": True})) == ["as CSV", "personal data NOT masked"]
    assert export.words(export.read({})) == ["as CSV", "personal data masked"]


@pytest.mark.parametrize(
    "given",
    [{"probes": 0}, {"probes": 101}, {"threshold": 101}, {"watch_seconds": 0}, {"watch_seconds": 3601}],
)
def test_a_canary_that_would_tell_nothing_is_refused(given):
    with pytest.raises(OperationRefused, match="between"):
        CANARY.read(given)
