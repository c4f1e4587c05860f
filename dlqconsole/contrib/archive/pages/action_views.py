"""The pages that take an archived dead letter back into the list, or erase it, for a reason."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from dlqconsole.console.access.permissions import actor, asks_for
from dlqconsole.console.parts.fields import ReasonField, TypedField
from dlqconsole.console.parts.forms import ConsoleForm
from dlqconsole.console.parts.responses import page
from dlqconsole.contrib.archive import changing
from dlqconsole.contrib.archive.actions import ERASE, RESTORE
from dlqconsole.contrib.archive.folder import ArchiveRefused
from dlqconsole.contrib.archive.letters import Archived, find_seen
from dlqconsole.contrib.archive.pages.letter import archived_or_404, unreadable
from dlqconsole.contrib.archive.pages.views import MOST
from dlqconsole.engine.models import DeadLetter
from dlqconsole.hosting.wording import gettext_lazy, translated
from dlqconsole.processing.inputs.fields import WholeNumber
from dlqconsole.processing.inputs.numbers import as_id
from dlqconsole.processing.quantities import counted


class ArchiveRestoreForm(ConsoleForm):
    """The reason to take it back into the list."""

    ids = "restore"

    reason = ReasonField()


class EraseForm(ConsoleForm):
    """The reason to erase it; its number is typed once more, because nothing brings it back."""

    ids = "erase"

    number = TypedField(
        WholeNumber(
            what=gettext_lazy("The number"),
            label=gettext_lazy("Type its number: nothing brings it back"),
            low=1,
        )
    )
    reason = ReasonField()

    def __init__(self, *arguments: Any, letter_id: int, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._letter_id = letter_id

    def clean_number(self) -> int:
        number: int = self.cleaned_data["number"]
        if number != self._letter_id:
            raise ValidationError(
                _("The number must be {letter_id}: nothing was erased.").format(letter_id=self._letter_id)
            )
        return number


NONE = gettext_lazy("None of these is in the archive, or yours to see: there is nothing to restore.")


@asks_for(RESTORE)
@require_http_methods(["GET", "HEAD", "POST"])
def restore(request: HttpRequest, letter_id: int) -> HttpResponseBase:
    """Put it back as it was."""
    if DeadLetter.objects.filter(pk=letter_id).exists():
        messages.info(
            request,
            _("Dead letter {letter_id} is in the list already: nothing was changed.").format(
                letter_id=letter_id
            ),
        )
        return redirect("dlq:dead_letter", letter_id)
    form = ArchiveRestoreForm.from_request(request)
    return _confirm(request, letter_id, "restore", form)


@asks_for(RESTORE)
@require_http_methods(["GET", "HEAD", "POST"])
def restore_found(request: HttpRequest) -> HttpResponseBase:
    """Put a search's results back: the ids in the address, as many as a page shows."""
    ids = [number for text in request.GET.get("ids", "").split(",") if (number := as_id(text)) is not None]
    form = ArchiveRestoreForm.from_request(request)
    letters, problems = _find_letters(ids[:MOST])
    if not (letters or problems):
        raise Http404(NONE)
    if not problems and form.is_valid():
        try:
            refusals = changing.restore(letters, actor(request), form.cleaned_data["reason"])
        except ArchiveRefused as refusal:
            form.add_error(None, translated(refusal))
        else:
            _tell(request, len(letters) - len(refusals), refusals)
            return redirect("dlq:archive")
    context = {
        "verb": "restore",
        "act": _ACTS["restore"],
        "is_final": False,
        "letters": letters,
        "unread": problems,
        "form": form,
        "back_url": reverse("dlq:archive"),
    }
    status = 503 if problems else form.status
    return page(request, "archive/confirm.html", context, status=status)


def _find_letters(ids: list[int]) -> tuple[list[Archived], list[str]]:
    """The letters that this person sees, and the problems of unreadable files."""
    letters, problems = [], []
    for number in dict.fromkeys(ids):
        try:
            letters.append(find_seen(number))
        except ArchiveRefused as refusal:
            problems.append(translated(refusal))
    return [letter for letter in letters if letter], problems


def _tell(request: HttpRequest, number: int, refusals: list[str]) -> None:
    if number:
        messages.success(
            request,
            _("{number} back in the list, as they were.").format(number=counted(number, "dead letters")),
        )
    for sentence in refusals:
        messages.warning(request, sentence)


@asks_for(ERASE)
@require_http_methods(["GET", "HEAD", "POST"])
def erase(request: HttpRequest, letter_id: int) -> HttpResponseBase:
    """Delete it for ever, from its file too."""
    return _confirm(request, letter_id, "erase", EraseForm.from_request(request, letter_id=letter_id))


_ACTS = {"restore": gettext_lazy("Restore"), "erase": gettext_lazy("Erase")}
_DO = {"restore": changing.restore, "erase": changing.erase}
_SUCCESS = {
    "restore": gettext_lazy("Back in the list, as it was."),
    "erase": gettext_lazy("Dead letter {} is erased: its file was written anew without it."),
}


def _confirm(request: HttpRequest, letter_id: int, verb: str, form: Any) -> HttpResponseBase:
    try:
        letter = archived_or_404(letter_id)
    except ArchiveRefused as refusal:
        return unreadable(request, letter_id, refusal)
    if form.is_valid():
        try:
            refusals = _DO[verb]([letter], actor(request), form.cleaned_data["reason"])
        except ArchiveRefused as refusal:
            refusals = [translated(refusal)]
        for sentence in refusals:
            form.add_error(None, sentence)
        if not refusals:
            messages.success(request, _SUCCESS[verb].format(letter_id))
            return redirect("dlq:dead_letter", letter_id) if verb == "restore" else redirect("dlq:archive")
    context = {
        "verb": verb,
        "act": _ACTS[verb],
        "is_final": verb == "erase",
        "letter_id": letter_id,
        "status": letter.text("status"),
        "form": form,
        "back_url": reverse("dlq:dead_letter", args=[letter_id]),
    }
    return page(request, "archive/confirm.html", context, status=form.status)
