"""What a person sees before they approve: the very thing, and not only how many of it."""

from typing import Any

from django.urls import reverse

from dlqconsole.console.masking.texts import masked_texts
from dlqconsole.engine.dead_letters import excerpts
from dlqconsole.engine.models import DeadLetter
from dlqconsole.engine.queues import waiting_messages
from dlqconsole.operations import kinds
from dlqconsole.operations.approval_preview import ApprovalPreview, approval_preview
from dlqconsole.operations.items import DEAD_LETTERS
from dlqconsole.operations.kinds.words import shown_words
from dlqconsole.operations.models import Approval, Operation, OperationItem, Status
from dlqconsole.operations.outlook import outlook as outlook_of
from dlqconsole.people.names import named

_LONGEST = 2_000


def waits(operation: Operation) -> bool:
    """Whether somebody has to approve it."""
    return operation.status == Status.AWAITING and operation.approval == Approval.NEEDED


def approval_page(operation: Operation) -> dict[str, Any]:
    """``frozen``, ``samples`` (some of the items, masked); None where none waits, or not all is seen."""
    if not waits(operation) or operation.is_part:
        return {"frozen": None}
    found = approval_preview(operation)
    return {
        "frozen": found,
        "samples": _samples(operation, found),
        "may_approve": [named(actor) for actor in found.approvers],
    }


def approval_facts(operation: Operation) -> dict[str, Any]:
    """The same and what was asked, as plain values: for the command line."""
    kind, found = kinds.shown(operation.kind), approval_preview(operation)
    tried = found.trial
    return {
        "operation": operation.pk,
        "kind": operation.kind,
        "status": operation.word,
        **({"outlook": outlook.sentence} if (outlook := outlook_of(operation)) else {}),
        "asked_by": named(operation.actor),
        "asked_by_actor": operation.actor,
        "asked_at": operation.created_at.isoformat(),
        "because": operation.reason,
        "scope": operation.filter_words,
        "options": shown_words(kind, kind.stored_options(operation.parameters) | {"rate": operation.rate}),
        "shown": operation.expected,
        "selected": operation.selected,
        # of what it has changed itself nobody would know what others did
        **({} if _has_begun(operation) else _changed(found)),
        "approve_until": operation.approve_until and operation.approve_until.isoformat(),
        "may_approve": [named(actor) for actor in found.approvers],
        "recipe": found.recipe,
        "tried": tried and {"on": tried.tries, "would_change": tried.would_change},
        "differences": {each.id: _lines(each) for each in (*tried.random, *tried.most)} if tried else {},
        "samples": [
            {name: value for name, value in row.items() if name != "url"}
            for row in _samples(operation, found)
        ],
    }


def _has_begun(operation: Operation) -> bool:
    return bool(operation.done or operation.skipped or operation.failed)


def _changed(found: ApprovalPreview) -> dict[str, Any]:
    """So many of so many that were compared, which of a large selection are the first."""
    return {"changed_since_frozen": found.changes, "compared": found.compared_items}


def _lines(shown: Any) -> list[str]:
    signs = {"added": "+", "removed": "-"}
    return [f"{signs.get(line.kind, ' ')} {line.text}" for line in shown.difference.lines]


def _samples(operation: Operation, found: ApprovalPreview) -> list[dict[str, Any]]:
    """``id``, ``url``, ``about``, ``state``, ``was`` (when frozen), ``payload`` (its beginning).

    ``changed``: as it is now it would be skipped.
    """
    if kinds.shown(operation.kind).items is DEAD_LETTERS:
        return _letters(operation, found)
    return _messages(operation, found.samples)


def _letters(operation: Operation, found: ApprovalPreview) -> list[dict[str, Any]]:
    items = OperationItem.objects.filter(operation=operation, dead_letter_id__in=found.samples)
    frozen_as = {item.dead_letter_id: (item.frozen_status, item.frozen_version) for item in items}
    rows = DeadLetter.objects.filter(pk__in=found.samples)
    versions = dict(rows.values_list("pk", "payload_version"))
    shown = excerpts.excerpts(rows.order_by("pk"))
    return [
        _letter(row, *frozen_as[row["id"]], versions.get(row["id"]))
        | {"changed": row["id"] in found.changed_samples}
        for row in shown
    ]


def _letter(
    row: dict[str, Any], was: str | None, frozen_version: int | None, version: int | None
) -> dict[str, Any]:
    texts = masked_texts()
    return {
        "id": row["id"],
        "url": reverse("dead_letter", args=[row["id"]]),
        "about": f"{texts.text(row['event_type'])}: {texts.text(row['reason_excerpt'])}",
        "state": row["status"],
        "was": was if was != row["status"] else "",
        "edited": version != frozen_version,
        "payload": texts.beginning(row["payload_preview"] or ""),
    }


def _messages(operation: Operation, ids: list[int]) -> list[dict[str, Any]]:
    texts = masked_texts()
    found = [waiting_messages.message(operation.queue, number) for number in ids]
    return [
        {
            "id": row["id"],
            "url": reverse("queue_message", args=[operation.queue, row["id"]]),
            "about": "",
            "state": row["status"],
            "was": "",
            "edited": False,
            "changed": False,
            "payload": texts.beginning((row["text"] or "")[:_LONGEST]),
        }
        for row in found
        if row is not None
    ]
