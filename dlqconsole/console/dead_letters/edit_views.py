"""Edit one dead letter: the form, what would change, and storing it; its versions, and going back to one."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from dlqconsole.console.access.permissions import actor, operator_required, require_operator, viewer_required
from dlqconsole.console.access.reaches import reach_of
from dlqconsole.console.dead_letters.forms import (
    EditForm,
    RestoreForm,
    check_page,
    conflict_page,
    form_page,
    odd_headers,
    too_long,
)
from dlqconsole.console.dead_letters.seen_for_editing import SeenForEditing
from dlqconsole.console.dead_letters.versions import letter_versions
from dlqconsole.console.masking.revelations import Seen
from dlqconsole.console.operations.forms import KeyForm
from dlqconsole.console.parts.responses import page
from dlqconsole.console.parts.reveal_form import RevealForm
from dlqconsole.engine.dead_letters import editing
from dlqconsole.engine.dead_letters.editing import Conflict, Editable, NotEditable
from dlqconsole.operations.conflicts import conflict_sentence
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.operations.kinds.revive import Revive
from dlqconsole.operations.request import OperationRequest
from dlqconsole.operations.scope import Rows
from dlqconsole.operations.service import request_operation
from dlqconsole.processing.edited_payload import EditRefused
from dlqconsole.processing.inputs import InvalidInput

TEMPLATE = "console/dead_letters/edit.html"
TOO_LONG = (
    "Its payload is too large for a browser's form. Save it, change the file, and run"
    " `manage.py deadletters edit {id} --payload-file FILE --because REASON`."
)
ODD_HEADERS = (
    "Its headers are nested too deep, or hold numbers that are too large, for a form. Save its payload and"
    " send that as a message of its own."
)


@operator_required
@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, letter_id: int) -> HttpResponseBase:
    """The form; a POST checks what was typed (step=check), stores it (save, revive), or goes back (edit)."""
    letter = editing.current(letter_id)
    if letter is None:
        raise Http404(f"There is no dead letter {letter_id}.")
    if odd_headers(letter):
        return _refused_page(request, letter, ODD_HEADERS)
    seen = SeenForEditing(Seen(request, f"dead_letter:{letter_id}"), letter)
    form = EditForm.posted(request, letter=letter, seen=seen)
    if request.method == "POST":
        return _posted(request, letter, form)
    refusal = _refusal(letter)
    return _refused_page(request, letter, refusal) if refusal else _page(request, form_page(letter, form))


def _refusal(letter: Editable) -> str:
    if not letter.is_editable:
        return f"Dead letter {letter.id} is {letter.status}: it cannot be edited now."
    return TOO_LONG.format(id=letter.id) if too_long(letter) else ""


def _posted(request: HttpRequest, letter: Editable, form: EditForm) -> HttpResponseBase:
    try:
        # a reason is asked for on the page that shows the change
        if form.errors.keys() <= {"reason"}:
            return _step(request, letter, form)
    except EditRefused as refusal:
        form.refuse(refusal)
    except Conflict as conflict:
        return _page(request, conflict_page(conflict.theirs, form, conflict_sentence(conflict)), 409)
    except NotEditable as refusal:
        return _page(request, conflict_page(letter, form, str(refusal)), 409)
    return _page(request, form_page(letter, form), form.status)


def _step(request: HttpRequest, letter: Editable, form: EditForm) -> HttpResponseBase:
    if request.POST.get("step") == "edit":
        return _page(request, form_page(letter, form))
    if form.is_saving and form.is_valid():
        return _save(request, letter, form)
    typed = form.cleaned_data
    seen = editing.opened(letter.id, typed["version"])
    payload, headers = form.as_stored()
    made = editing.draft(seen, payload, headers)
    return _page(request, check_page(seen, form, made), form.status)


def _save(request: HttpRequest, letter: Editable, form: EditForm) -> HttpResponseBase:
    typed = form.cleaned_data
    payload, headers = form.as_stored()
    stored = editing.edit(
        letter.id,
        version=typed["version"],
        payload_text=payload,
        headers=headers,
        actor=actor(request),
        reason=typed["reason"],
    )
    messages.success(request, f"Saved as version {stored.number}. The original is kept.")
    if request.POST.get("step") == "revive":
        return _revive(request, letter.id, typed["reason"])
    return redirect("dead_letter", letter.id)


def _revive(request: HttpRequest, letter_id: int, reason: str) -> HttpResponseBase:
    """Ask for the revive as the button on the dead letter's page would."""
    try:
        key = KeyForm(request.POST).read()["request_key"]
        asked = OperationRequest(Revive.name, Rows.of([letter_id]), reason, reach=reach_of(request), key=key)
        made = request_operation(asked, actor=actor(request))
    except (InvalidInput, OperationRefused) as problem:
        messages.error(request, f"It was not revived: {problem}")
        return redirect("dead_letter", letter_id)
    return redirect("operation", made.pk)


def _refused_page(request: HttpRequest, letter: Editable, sentence: str) -> HttpResponse:
    return _page(request, {"step": "refused", "letter": letter, "refusal": sentence}, 409)


def _page(request: HttpRequest, context: dict[str, Any], status: int = 200) -> HttpResponse:
    context |= {
        "reveal_form": RevealForm(),
        "reveal_url": reverse("dead_letter_reveal", args=[context["letter"].id]),
    }
    return page(request, TEMPLATE, context, part="", status=status)


@viewer_required
@require_http_methods(["GET", "HEAD", "POST"])
def versions(request: HttpRequest, letter_id: int) -> HttpResponseBase:
    """What it held before each edit; a POST makes an earlier version the newest again."""
    if request.method == "POST":
        require_operator(request)
    letter = editing.current(letter_id)
    if letter is None:
        raise Http404(f"There is no dead letter {letter_id}.")
    form, status = RestoreForm.posted(request), 200
    if request.method == "POST":
        status = _restore(request, letter, form)
        if status == 302:
            return redirect("dead_letter_versions", letter_id)
    seen = Seen(request, f"dead_letter:{letter_id}")
    kept = [row | {"form": RestoreForm(number=row["number"])} for row in letter_versions(letter, seen.texts)]
    context = {"letter": letter, "form": form, "versions": kept}
    context |= {"seen": seen, "reveal_form": RevealForm()}
    context |= {"reveal_url": reverse("dead_letter_reveal", args=[letter_id])}
    return page(request, "console/dead_letters/versions.html", context, part="", status=status)


def _restore(request: HttpRequest, letter: Editable, form: RestoreForm) -> int:
    """Go back to a version; the status to answer with. Why not stands in the form."""
    if not form.is_valid():
        return form.status
    number, typed = form.cleaned_data["number"], form.cleaned_data
    try:
        who = {"actor": actor(request), "reason": typed["reason"]}
        made = editing.restore(letter.id, number, version=typed["version"], **who)
    except EditRefused as refusal:
        for problem in refusal.problems:
            form.add_error(None, problem)
        return 422
    except (Conflict, NotEditable) as refusal:
        form.add_error(None, conflict_sentence(refusal) if isinstance(refusal, Conflict) else str(refusal))
        return 409
    messages.success(request, f"Version {number} is back, as version {made.number}.")
    return 302
