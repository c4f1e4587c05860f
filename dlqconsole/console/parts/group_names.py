"""Names of failure groups for filters, in place of their numbers, which tell a person nothing.

Only shown texts have the title. Stored texts keep the number, so that a purge leaves no words.
"""

from collections.abc import Iterable

from dlqconsole.console.masking.texts import masked_texts
from dlqconsole.engine.counts import groups
from dlqconsole.engine.gate import Shown
from dlqconsole.operations.models import Operation


def group_name(group_id: int) -> str:
    """Its title, masked as on its own page; its number if the group is unknown."""
    return _names([group_id]).get(group_id, str(group_id))


def with_group_name(words: str, group_id: int | None) -> str:
    """The words of a filter, with the title of the group that they name by its number."""
    return words if group_id is None else _with_name(words, group_id, _names([group_id]))


def name_groups(operations: Iterable[Operation]) -> None:
    """Set ``scope_words`` of each operation: its scope, as it is shown."""
    over = {row.pk: row.group_id for row in operations if row.scope == "filter" and row.group_id is not None}
    names = _names(over.values())
    for row in operations:
        row.scope_words = _with_name(row.filter_words, over.get(row.pk), names)  # type: ignore[attr-defined]


def _with_name(words: str, group_id: int | None, names: dict[int, str]) -> str:
    if group_id not in names:
        return words
    return words.replace(f"group is {group_id}", f"group is {names[group_id]}")


def _names(group_ids: Iterable[int]) -> dict[int, str]:
    texts = masked_texts()
    titles = groups.titles(group_ids)
    return {pk: Shown(f"“{texts.text(title)}”") for pk, title in titles.items()}
