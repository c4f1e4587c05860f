"""Reveal one dead letter or message: its personal data is shown to this person for some minutes."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from dlqconsole.console.access.permissions import operator_required
from dlqconsole.console.errors import views as errors
from dlqconsole.console.masking import revelations
from dlqconsole.console.parts.reveal_form import RevealForm
from dlqconsole.engine.models import DeadLetter
from dlqconsole.engine.queues import waiting_messages as queued_messages


@operator_required
@require_POST
def dead_letter(request: HttpRequest, letter_id: int) -> HttpResponseBase:
    """Reveal a dead letter."""
    if not DeadLetter.objects.filter(pk=letter_id).exists():
        raise Http404(f"There is no dead letter {letter_id}.")
    return _reveal(request, f"dead_letter:{letter_id}") or redirect("dead_letter", letter_id)


@operator_required
@require_POST
def message(request: HttpRequest, name: str, number: int) -> HttpResponseBase:
    """Reveal a message on a queue."""
    if queued_messages.message(name, number) is None:
        raise Http404(f"Message {number} is not on this queue.")
    return _reveal(request, f"message:{number}") or redirect("queue_message", name, number)


def _reveal(request: HttpRequest, target: str) -> HttpResponseBase | None:
    """The refusal, if it is one."""
    form = RevealForm(request.POST)
    if not form.is_valid():
        return errors.sentence(" ".join([*form.sentences, "Nothing was revealed."]), form.status)
    revelations.reveal(request, target, form.cleaned_data["reason"])
    messages.success(request, f"Shown to you alone, for {revelations.MINUTES} minutes.")
    return None
