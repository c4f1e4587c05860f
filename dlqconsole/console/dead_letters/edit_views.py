"""Edit one dead letter: the form, the preview of the change, and saving; its versions, and restoring one."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from dlqconsole.configuration.program import PROGRAM
from dlqconsole.console.access.permissions import actor, operator_required, require, viewer_required
from dlqconsole.console.dead_letters.edit_texts import EditTexts
from dlqconsole.console.dead_letters.forms import (
    EditForm,
    VersionRestoreForm,
    check_page,
    conflict_page,
    form_page,
    odd_headers,
    too_long,
)
from dlqconsole.console.dead_letters.versions import letter_versions
from dlqconsole.console.masking.revelations import RevealState
from dlqconsole.console.operations.forms import KeyForm
from dlqconsole.console.parts.forms import RevealForm
from dlqconsole.console.parts.responses import page
from dlqconsole.console.parts.visitors import names_visitors
from dlqconsole.engine.dead_letters import editing
from dlqconsole.engine.dead_letters.editing import Conflict, Editable, NotEditable
from dlqconsole.hosting.wording import format_lazy, gettext_lazy, translated
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.operations.kinds.revive import Revive
from dlqconsole.operations.kinds.words import conflict_sentence
from dlqconsole.operations.requests.request import OperationRequest
from dlqconsole.operations.requests.scope import Rows
from dlqconsole.operations.requests.service import request_operation
from dlqconsole.processing.edits import EditRefused
from dlqconsole.processing.inputs import InvalidInput

TEMPLATE = "console/dead_letters/edit.html"
TOO_LONG = format_lazy(
    gettext_lazy(
        "Its payload is too large for a browser's form. Save it, change the file, and run"
        " `{program} deadletters edit {{id}} --payload-file FILE --because REASON`."
    ),
    program=PROGRAM,
)
ODD_HEADERS = gettext_lazy(
    "Its headers are nested too deep, or hold numbers that are too large, for a form."
    " Save its payload and send that as a message of its own."
)


@operator_required
@require_http_methods(["GET", "HEAD", "POST"])
@names_visitors
def edit(request: HttpRequest, letter_id: int) -> HttpResponseBase:
    """The form; a POST previews the edit (step=check), saves it (save, revive), or goes back (edit)."""
    letter = editing.current(letter_id)
    if letter is None:
        raise Http404(_("There is no dead letter {letter_id}.").format(letter_id=letter_id))
    if odd_headers(letter):
        return _refused_page(request, letter, ODD_HEADERS)
    texts = EditTexts(RevealState(request, f"dead_letter:{letter_id}"), letter)
    form = EditForm.from_request(request, letter=letter, texts=texts)
    if request.method == "POST":
        return _answer_post(request, letter, form)
    refusal = _refusal(letter)
    return _refused_page(request, letter, refusal) if refusal else _page(request, form_page(letter, form))


def _refusal(letter: Editable) -> str:
    if not letter.is_editable:
        return _("Dead letter {id} is {status}: it cannot be edited now.").format(
            id=letter.id, status=letter.status
        )
    return TOO_LONG.format(id=letter.id) if too_long(letter) else ""


def _answer_post(request: HttpRequest, letter: Editable, form: EditForm) -> HttpResponseBase:
    try:
        # the page that shows the change asks for a reason
        if form.errors.keys() <= {"reason"}:
            return _step(request, letter, form)
    except EditRefused as refusal:
        form.refuse(refusal)
    except Conflict as conflict:
        return _page(request, conflict_page(conflict.theirs, form, conflict_sentence(conflict)), 409)
    except NotEditable as refusal:
        return _page(request, conflict_page(letter, form, translated(refusal)), 409)
    return _page(request, form_page(letter, form), form.status)


def _step(request: HttpRequest, letter: Editable, form: EditForm) -> HttpResponseBase:
    if request.POST.get("step") == "edit":
        return _page(request, form_page(letter, form))
    if form.is_saving and form.is_valid():
        return _save(request, letter, form)
    values = form.cleaned_data
    original = editing.open_for_edit(letter.id, values["version"])
    payload, headers = form.as_stored()
    draft = editing.draft(original, payload, headers)
    return _page(request, check_page(original, form, draft), form.status)


def _save(request: HttpRequest, letter: Editable, form: EditForm) -> HttpResponseBase:
    values = form.cleaned_data
    payload, headers = form.as_stored()
    version = editing.edit(
        letter.id,
        version=values["version"],
        payload_text=payload,
        headers=headers,
        actor=actor(request),
        reason=values["reason"],
    )
    messages.success(
        request, _("Saved as version {number}. The original is kept.").format(number=version.number)
    )
    if request.POST.get("step") == "revive":
        return _revive(request, letter.id, values["reason"])
    return redirect("dlq:dead_letter", letter.id)


def _revive(request: HttpRequest, letter_id: int, reason: str) -> HttpResponseBase:
    """Request the revive as the button on the dead letter's page would."""
    try:
        key = KeyForm(request.POST).read()["request_key"]
        revive = OperationRequest(Revive.name, Rows.of([letter_id]), reason, key=key)
        operation = request_operation(revive, actor=actor(request))
    except (InvalidInput, OperationRefused) as problem:
        messages.error(request, _("It was not revived: {problem}").format(problem=translated(problem)))
        return redirect("dlq:dead_letter", letter_id)
    return redirect("dlq:operation", operation.pk)


def _refused_page(request: HttpRequest, letter: Editable, sentence: str) -> HttpResponse:
    return _page(request, {"step": "refused", "letter": letter, "refusal": sentence}, 409)


def _page(request: HttpRequest, context: dict[str, Any], status: int = 200) -> HttpResponse:
    context |= {
        "reveal_form": RevealForm(),
        "reveal_url": reverse("dlq:dead_letter_reveal", args=[context["letter"].id]),
    }
    return page(request, TEMPLATE, context, status=status)


@viewer_required
@require_http_methods(["GET", "HEAD", "POST"])
def versions(request: HttpRequest, letter_id: int) -> HttpResponseBase:
    """Its payload before each edit; a POST makes an earlier version the newest again."""
    if request.method == "POST":
        require(request, "operator")
    letter = editing.current(letter_id)
    if letter is None:
        raise Http404(_("There is no dead letter {letter_id}.").format(letter_id=letter_id))
    form, status = VersionRestoreForm.from_request(request), 200
    if request.method == "POST":
        status = _restore(request, letter, form)
        if status == 302:
            return redirect("dlq:dead_letter_versions", letter_id)
    reveal = RevealState(request, f"dead_letter:{letter_id}")
    rows = [
        row | {"form": VersionRestoreForm(number=row["number"])}
        for row in letter_versions(letter, reveal.texts)
    ]
    context = {"letter": letter, "form": form, "versions": rows}
    context |= {"reveal": reveal, "reveal_form": RevealForm()}
    context |= {"reveal_url": reverse("dlq:dead_letter_reveal", args=[letter_id])}
    return page(request, "console/dead_letters/versions.html", context, status=status)


def _restore(request: HttpRequest, letter: Editable, form: VersionRestoreForm) -> int:
    """Restore a version; return the HTTP status. A refusal is an error of the form."""
    if not form.is_valid():
        return form.status
    number, values = form.cleaned_data["number"], form.cleaned_data
    try:
        who = {"actor": actor(request), "reason": values["reason"]}
        version = editing.restore(letter.id, number, version=values["version"], **who)
    except EditRefused as refusal:
        for problem in refusal.problems:
            form.add_error(None, problem)
        return 422
    except (Conflict, NotEditable) as refusal:
        form.add_error(
            None, conflict_sentence(refusal) if isinstance(refusal, Conflict) else translated(refusal)
        )
        return 409
    messages.success(
        request,
        _("Version {number} is back, as version {new}.").format(number=number, new=version.number),
    )
    return 302
