"""A receipt's items: some of them, by what became of them, and the new errors of those that failed again."""

from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _

from dlqconsole.console.masking.texts import masked_texts
from dlqconsole.engine.counts import groups, summaries
from dlqconsole.operations import kinds
from dlqconsole.operations.items import DEAD_LETTERS
from dlqconsole.operations.models import Fate, Operation, Status
from dlqconsole.operations.receipts import receipt
from dlqconsole.operations.receipts.receipt import PROBES, NewError

# milliseconds: a fate that few of a million items have is looked for among all of them
BUDGET = 2_000
# as the figures and tabs stand on the page
FATES = (
    Fate.SUCCEEDED, Fate.DONE, Fate.FAILED_AGAIN, Fate.UNDER_WAY, Fate.PULLED_BACK, Fate.SKIPPED, Fate.FAILED,
    Fate.REMAINING,
)  # fmt: skip
ALL = "all"

type Row = dict[str, Any]


def items_context(operation: Operation, chosen: str, after: int, size: int) -> Row:
    """The items after the dead letter ``after``, of the chosen tab: within the scope of the items."""
    tab = _tab(operation, chosen)
    context = {"items_tab": tab, "items": [], "items_next_url": "", "new_errors": [], "items_too_slow": False}
    if not operation.has_items:
        return context
    try:
        with summaries.time_budget(BUDGET):
            return context | _page(operation, tab, after, size) | {"new_errors": _new_errors(operation, tab)}
    except summaries.TooSlow:
        return context | {"items_too_slow": True}


def tabs(operation: Operation, figures: list[Row], current: str) -> list[Row]:
    """All, a canary's probes, and a tab for each fate with its number."""
    entries: list[tuple[str, str, int]] = [(ALL, _("All"), operation.selected)]
    if operation.probes and not operation.is_part:
        entries.append((PROBES, _("Probes"), len(operation.probes)))
    entries += [(each["fate"], each["label"], each["number"]) for each in figures]
    return [
        {"label": label, "number": number, "url": items_url(operation, name), "current": name == current}
        for name, label, number in entries
    ]


def items_url(operation: Operation, tab: str, after: int | None = None) -> str:
    """The receipt, at the items of a tab."""
    values: Row = {"items": tab} | ({} if after is None else {"after": after})
    return f"{reverse('dlq:operation', args=[operation.pk])}?{urlencode(values)}#items-title"


def _tab(operation: Operation, chosen: str) -> str:
    """The chosen tab; else all items, but of a halted canary its probes."""
    has_probes = bool(operation.probes) and not operation.is_part
    if chosen in Fate.values or chosen == ALL or (chosen == PROBES and has_probes):
        return chosen
    return PROBES if has_probes and operation.status == Status.HALTED else ALL


def _page(operation: Operation, tab: str, after: int, size: int) -> Row:
    of = kinds.shown(operation.kind).items
    fate = "" if tab == ALL else tab
    rows = receipt.items(operation.pk, after=after, fate=fate, limit=size + 1, of=of)
    last = getattr(rows[size - 1], of.key) if len(rows) > size else None
    return {
        "items": [_row(operation, row) for row in rows[:size]],
        "has_messages": any(row.message_id for row in rows[:size]),
        "items_next_url": "" if last is None else items_url(operation, tab, last),
    }


def _row(operation: Operation, item: receipt.ReceiptItem) -> Row:
    letter = item.dead_letter_id
    stands = operation.queue and item.fate == Fate.REMAINING
    return {
        "item": item,
        "url": reverse("dlq:dead_letter", args=[letter]) if letter else "",
        "message_url": reverse("dlq:queue_message", args=[operation.queue, item.message_id])
        if stands
        else "",
    }


def _new_errors(operation: Operation, tab: str) -> list[Row]:
    """The failure groups that those which failed again are in now, each with its share."""
    kind = kinds.shown(operation.kind)
    is_again = tab == Fate.FAILED_AGAIN or (tab == Fate.FAILED and kind.follows_pace)
    if not is_again or kind.items is not DEAD_LETTERS:
        return []
    errors = receipt.new_errors(operation.pk, tab)
    titles = groups.titles(each.group_id for each in errors)
    return [_error(each, titles.get(each.group_id, "")) for each in errors]


def _error(error: NewError, title: str) -> Row:
    return {
        "error": error,
        "title": masked_texts().text(title) or _("group {group_id}").format(group_id=error.group_id),
        "url": reverse("dlq:group", args=[error.group_id]),
    }
