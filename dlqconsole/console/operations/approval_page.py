"""The approver's view of an operation: the full request and sample items."""

from typing import Any

from django.urls import reverse

from dlqconsole.console.masking.texts import masked_texts
from dlqconsole.engine.dead_letters import excerpts
from dlqconsole.engine.models import DeadLetter
from dlqconsole.engine.queues import waiting_messages
from dlqconsole.operations import kinds
from dlqconsole.operations.items import DEAD_LETTERS
from dlqconsole.operations.kinds.words import shown_words
from dlqconsole.operations.models import Approval, Operation, OperationItem, Status
from dlqconsole.operations.receipts.outlook import outlook as outlook_of
from dlqconsole.operations.requests.approval_preview import ApprovalPreview, approval_preview
from dlqconsole.people.names import named

_LONGEST = 2_000


def waits(operation: Operation) -> bool:
    """Tell whether it waits for a person's approval."""
    return operation.status == Status.AWAITING and operation.approval == Approval.NEEDED


def approval_page(operation: Operation) -> dict[str, Any]:
    """``frozen``, ``samples`` (some of the items, masked); None if it does not wait or is partly hidden."""
    if not waits(operation) or operation.is_part:
        return {"frozen": None}
    approval = approval_preview(operation)
    return {
        "frozen": approval,
        "samples": _samples(operation, approval),
        "may_approve": [named(actor) for actor in approval.approvers],
    }


def approval_facts(operation: Operation) -> dict[str, Any]:
    """The same and the request, as plain values: for the command line."""
    kind, approval = kinds.shown(operation.kind), approval_preview(operation)
    trial = approval.trial
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
        # after its own changes, those of others could not be told apart
        **({} if _has_begun(operation) else _change_counts(approval)),
        "approve_until": operation.approve_until and operation.approve_until.isoformat(),
        "may_approve": [named(actor) for actor in approval.approvers],
        "recipe": approval.recipe,
        "tried": trial and {"on": trial.tries, "would_change": trial.would_change},
        "differences": {each.id: _lines(each) for each in (*trial.random, *trial.most)} if trial else {},
        "samples": [
            {name: value for name, value in row.items() if name != "url"}
            for row in _samples(operation, approval)
        ],
    }


def _has_begun(operation: Operation) -> bool:
    return bool(operation.done or operation.skipped or operation.failed)


def _change_counts(approval: ApprovalPreview) -> dict[str, Any]:
    """The number of changed items, and of compared ones: of a large selection only the first."""
    return {"changed_since_frozen": approval.changes, "compared": approval.compared_items}


def _lines(sample: Any) -> list[str]:
    signs = {"added": "+", "removed": "-"}
    return [f"{signs.get(line.kind, ' ')} {line.text}" for line in sample.difference.lines]


def _samples(operation: Operation, approval: ApprovalPreview) -> list[dict[str, Any]]:
    """``id``, ``url``, ``about``, ``state``, ``was`` (when frozen), ``payload`` (its beginning).

    ``changed``: as it is now it would be skipped.
    """
    if kinds.shown(operation.kind).items is DEAD_LETTERS:
        return _letters(operation, approval)
    return _messages(operation, approval.samples)


def _letters(operation: Operation, approval: ApprovalPreview) -> list[dict[str, Any]]:
    items = OperationItem.objects.filter(operation=operation, dead_letter_id__in=approval.samples)
    frozen_as = {item.dead_letter_id: (item.frozen_status, item.frozen_version) for item in items}
    rows = DeadLetter.objects.filter(pk__in=approval.samples)
    versions = dict(rows.values_list("pk", "payload_version"))
    letters = excerpts.excerpts(rows.order_by("pk"))
    return [
        _letter(row, *frozen_as[row["id"]], versions.get(row["id"]))
        | {"changed": row["id"] in approval.changed_samples}
        for row in letters
    ]


def _letter(
    row: dict[str, Any], was: str | None, frozen_version: int | None, version: int | None
) -> dict[str, Any]:
    texts = masked_texts()
    return {
        "id": row["id"],
        "url": reverse("dlq:dead_letter", args=[row["id"]]),
        "about": f"{texts.text(row['event_type'])}: {texts.text(row['reason_excerpt'])}",
        "state": row["status"],
        "was": was if was != row["status"] else "",
        "edited": version != frozen_version,
        "payload": texts.beginning(row["payload_preview"] or ""),
    }


def _messages(operation: Operation, ids: list[int]) -> list[dict[str, Any]]:
    texts = masked_texts()
    rows = [waiting_messages.message(operation.queue, number) for number in ids]
    return [
        {
            "id": row["id"],
            "url": reverse("dlq:queue_message", args=[operation.queue, row["id"]]),
            "about": "",
            "state": row["status"],
            "was": "",
            "edited": False,
            "changed": False,
            "payload": texts.beginning((row["text"] or "")[:_LONGEST]),
        }
        for row in rows
        if row is not None
    ]
