"""An archived dead letter's page: the letter as it was, read from its file, masked as everywhere."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _

from dlqconsole.console.access.permissions import VIEWERS, can_operate, role_of
from dlqconsole.console.audit.words import sentence
from dlqconsole.console.masking.revelations import RevealState
from dlqconsole.console.masking.texts import ShownTexts
from dlqconsole.console.parts.forms import RevealForm
from dlqconsole.console.parts.responses import page
from dlqconsole.console.parts.shown_filter import group_name
from dlqconsole.console.parts.shown_payload import headers_text, shown_payload
from dlqconsole.contrib.archive.folder import ArchiveRefused
from dlqconsole.contrib.archive.letters import Archived, as_moment, find_seen
from dlqconsole.engine.dead_letters.excerpts import LONG, SHOWN
from dlqconsole.engine.models import AuditEntry
from dlqconsole.hosting.wording import gettext_lazy, translated

ADMINS = gettext_lazy("Only an administrator may erase what is archived.")
_TEXTS = ("event_type", "error_class", "queue", "source", "source_key")
_MOMENTS = ("first_failure_at", "last_failure_at", "dead_lettered_at", "updated_at", "created_at")
_NUMBERS = ("retry_count", "occurrences", "revive_count", "payload_version", "version", "group_id")
# attempts and audit entries that the page shows
_MOST = 50


def visible(letter_id: int) -> bool:
    """Tell whether it is archived and within the scope. Raises Http404 if no file can say."""
    try:
        return find_seen(letter_id) is not None
    except ArchiveRefused as refusal:
        raise Http404(translated(refusal)) from refusal


def archived_page(request: HttpRequest, letter_id: int) -> HttpResponse | None:
    """The page; None if it is not archived, a sentence if its file cannot be read."""
    try:
        letter = find_seen(letter_id)
    except ArchiveRefused as refusal:
        return unreadable(request, letter_id, refusal)
    return None if letter is None else page(request, "archive/letter.html", _context(request, letter))


def unreadable(request: HttpRequest, letter_id: int, refusal: ArchiveRefused) -> HttpResponse:
    """The page of an archived dead letter whose file cannot be read."""
    context = {"letter_id": letter_id, "refusal": translated(refusal)}
    return page(request, "archive/unreadable.html", context, status=503)


def archived_or_404(letter_id: int) -> Archived:
    """The archived dead letter, as far as this person sees it. Raises ArchiveRefused, Http404."""
    letter = find_seen(letter_id)
    if letter is None:
        raise Http404(_("There is no dead letter {letter_id}.").format(letter_id=letter_id))
    return letter


def archived_payload(request: HttpRequest, letter_id: int) -> tuple[bytes, bool] | None:
    """The payload's bytes, and whether they are JSON text. Raises Http404 if its file cannot be read."""
    try:
        letter = find_seen(letter_id)
    except ArchiveRefused as refusal:
        raise Http404(translated(refusal)) from refusal
    return None if letter is None else _content(letter)


def _content(letter: Archived) -> tuple[bytes, bool]:
    raw = letter.raw("payload_raw")
    return (raw, False) if raw is not None else (letter.text("payload").encode(), True)


def _context(request: HttpRequest, letter: Archived) -> dict[str, Any]:
    reveal = RevealState(request, f"dead_letter:{letter.id}")
    payload = _payload(letter)
    return {
        "letter": _row(letter, reveal.texts),
        "file": letter.file,
        "payload": shown_payload(payload, reveal.texts, reverse("dlq:dead_letter_raw", args=[letter.id])),
        "headers_text": headers_text(payload, reveal.texts),
        "attempts": [_attempt(row, reveal.texts) for row in letter.attempts()[-_MOST:]],
        "versions": len(letter.versions()),
        "group": group_name(letter.number("group_id") or 0),
        "history": _history(letter.id),
        "reveal": reveal,
        "reveal_url": reverse("dlq:dead_letter_reveal", args=[letter.id]),
        "reveal_form": RevealForm(),
        "why_not_restore": "" if can_operate(request) else VIEWERS,
        "why_not_erase": "" if role_of(request) == "admin" else ADMINS,
    }


def _row(letter: Archived, texts: ShownTexts) -> dict[str, Any]:
    return {
        "id": letter.id,
        "status": letter.text("status"),
        "error_category": letter.text("error_category"),
        **{name: texts.cut(letter.text(name)[:LONG], LONG) for name in ("error_reason", "error_stacktrace")},
        **{name: texts.text(letter.text(name)) for name in _TEXTS},
        **{name: letter.moment(name) for name in _MOMENTS},
        **{name: letter.number(name) for name in _NUMBERS},
    }


def _payload(letter: Archived) -> dict[str, Any]:
    """The payload in the shape of ``excerpts.payload``."""
    text, raw = letter.row[letter.shape.place("payload")], letter.raw("payload_raw")
    return {
        "text": None if text is None else text[:SHOWN],
        "text_size": len((text or "").encode()),
        "raw": None if raw is None else raw[:SHOWN],
        "raw_size": len(raw or b""),
        "headers": letter.text("headers")[:SHOWN],
    }


def _attempt(row: dict[str, Any], texts: ShownTexts) -> dict[str, Any]:
    return {
        "at": as_moment(row["finished_at"]),
        "kind": row["kind"],
        "outcome": row["outcome"],
        "worker": texts.text(row["worker"]),
        "reason": texts.cut((row["error_reason"] or "")[:LONG], LONG),
        "number": int(row["stands_for"]),
    }


def _history(letter_id: int) -> list[dict[str, Any]]:
    """The newest things that people did to it, from the audit log."""
    entries = AuditEntry.objects.filter(target=f"dead_letter:{letter_id}").order_by("-id")[:_MOST]
    return [
        {"at": entry.at, "actor": entry.actor, "text": sentence(entry), "reason": entry.reason}
        for entry in entries
    ]
