"""Reveal one dead letter or message: its personal data is shown to this person for some minutes."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from dlqconsole.console import errors
from dlqconsole.console.access.guard import lies_elsewhere
from dlqconsole.console.access.permissions import operator_required
from dlqconsole.console.masking import revelations
from dlqconsole.console.parts.forms import RevealForm
from dlqconsole.console.parts.message_place import MessagePlace
from dlqconsole.console.parts.responses import page, wants_part
from dlqconsole.engine.models import DeadLetter


@operator_required
@require_POST
def dead_letter(request: HttpRequest, letter_id: int) -> HttpResponseBase:
    """Reveal a dead letter, one that lies elsewhere too."""
    is_listed = DeadLetter.objects.filter(pk=letter_id).exists()
    if not is_listed and not lies_elsewhere(letter_id):
        raise Http404(_("There is no dead letter {letter_id}.").format(letter_id=letter_id))
    back_url = reverse("dlq:dead_letter", args=[letter_id])
    return _reveal(request, "dead letter", letter_id, back_url, f"dead_letter:{letter_id}")


@operator_required
@require_POST
def message(request: HttpRequest, name: str, number: int) -> HttpResponseBase:
    """Reveal a message on a queue."""
    place = MessagePlace.asked_for(request, name)
    place.message(number)
    return _reveal(request, "message", number, place.url("queue_message", number), place.target(number))


def _reveal(request: HttpRequest, noun: str, number: int, back_url: str, target: str) -> HttpResponseBase:
    """Reveal it from now on; or show the form again, with the typed reason and the error."""
    form = RevealForm(request.POST)
    if not form.is_valid():
        return _refuse(request, form, {"noun": noun, "number": number, "back_url": back_url})
    revelations.reveal(request, target, form.cleaned_data["reason"])
    messages.success(
        request, _("Shown to you alone, for {minutes} minutes.").format(minutes=revelations.MINUTES)
    )
    return redirect(back_url)


def _refuse(request: HttpRequest, form: RevealForm, what: dict[str, Any]) -> HttpResponseBase:
    if wants_part(request):
        return errors.sentence(" ".join([*form.sentences, _("Nothing was revealed.")]), form.status)
    context = what | {"form": form, "minutes": revelations.MINUTES}
    return page(request, "console/revealing/reveal.html", context, status=form.status)
