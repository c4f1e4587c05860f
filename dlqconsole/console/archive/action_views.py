"""Take an archived dead letter back into the list, or erase it: each says what will happen, and asks why."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from dlqconsole.archive import changing
from dlqconsole.archive.errors import ArchiveRefused
from dlqconsole.archive.letters import Archived, find_seen
from dlqconsole.console.access.permissions import actor, admin_required, operator_required
from dlqconsole.console.access.reaches import reach_of
from dlqconsole.console.archive.forms import EraseForm, RestoreForm
from dlqconsole.console.archive.letter import archived_letter, archived_or_404
from dlqconsole.console.archive.search import MOST
from dlqconsole.console.parts.responses import page
from dlqconsole.engine.models import DeadLetter
from dlqconsole.engine.reach import Reach
from dlqconsole.processing.inputs.numbers import as_id
from dlqconsole.processing.plurals import counted

NONE = "None of these is in the archive, or yours to see: there is nothing to restore."


@operator_required
@require_http_methods(["GET", "HEAD", "POST"])
def restore(request: HttpRequest, letter_id: int) -> HttpResponseBase:
    """Put it back as it was."""
    if DeadLetter.objects.filter(pk=letter_id).exists():
        messages.info(request, f"Dead letter {letter_id} is in the list already: nothing was changed.")
        return redirect("dead_letter", letter_id)
    form = RestoreForm.posted(request)
    return _confirmed(request, letter_id, "restore", form)


@operator_required
@require_http_methods(["GET", "HEAD", "POST"])
def restore_found(request: HttpRequest) -> HttpResponseBase:
    """Put back what a search found: the numbers in the address, as many as a page shows."""
    ids = [number for text in request.GET.get("ids", "").split(",") if (number := as_id(text)) is not None]
    form = RestoreForm.posted(request)
    found, unread = _seen(ids[:MOST], reach_of(request))
    if not (found or unread):
        raise Http404(NONE)
    if not unread and form.is_valid():
        try:
            refused = changing.restore(found, actor(request), form.cleaned_data["reason"])
        except ArchiveRefused as refusal:
            form.add_error(None, str(refusal))
        else:
            _tell(request, len(found) - len(refused), refused)
            return redirect("archive")
    context = {
        "verb": "restore",
        "letters": found,
        "unread": unread,
        "form": form,
        "back_url": reverse("archive"),
    }
    status = 503 if unread else form.status
    return page(request, "console/archive/confirm.html", context, part="", status=status)


def _seen(ids: list[int], reach: Reach) -> tuple[list[Archived], list[str]]:
    """Those that this person sees, and what cannot be read."""
    found, problems = [], []
    for number in dict.fromkeys(ids):
        try:
            found.append(find_seen(number, reach))
        except ArchiveRefused as refusal:
            problems.append(str(refusal))
    return [letter for letter in found if letter], problems


def _tell(request: HttpRequest, done: int, refused: list[str]) -> None:
    if done:
        messages.success(request, f"{counted(done, 'dead letters')} back in the list, as they were.")
    for sentence in refused:
        messages.warning(request, sentence)


@admin_required
@require_http_methods(["GET", "HEAD", "POST"])
def erase(request: HttpRequest, letter_id: int) -> HttpResponseBase:
    """Delete it for ever, from its file too."""
    return _confirmed(request, letter_id, "erase", EraseForm.posted(request, letter_id=letter_id))


_DO = {"restore": changing.restore, "erase": changing.erase}
_DONE = {
    "restore": "Back in the list, as it was.",
    "erase": "Dead letter {} is erased: its file was written anew without it.",
}


def _confirmed(request: HttpRequest, letter_id: int, verb: str, form: Any) -> HttpResponseBase:
    try:
        found = archived_or_404(request, letter_id)
    except ArchiveRefused:
        return archived_letter(request, letter_id)
    if form.is_valid():
        try:
            refused = _DO[verb]([found], actor(request), form.cleaned_data["reason"])
        except ArchiveRefused as refusal:
            refused = [str(refusal)]
        for sentence in refused:
            form.add_error(None, sentence)
        if not refused:
            messages.success(request, _DONE[verb].format(letter_id))
            return redirect("dead_letter", letter_id) if verb == "restore" else redirect("archive")
    context = {
        "verb": verb,
        "letter_id": letter_id,
        "status": found.text("status"),
        "form": form,
        "back_url": reverse("dead_letter", args=[letter_id]),
    }
    return page(request, "console/archive/confirm.html", context, part="", status=form.status)
