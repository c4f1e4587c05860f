"""A recipe for many payloads, tried on some of them before any change."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from dlqconsole.console.access.permissions import actor, operator_required
from dlqconsole.console.masking.revelations import REVEAL
from dlqconsole.console.operations.forms import RecipeForm, RecipeRevealForm
from dlqconsole.console.operations.operation_intent import (
    NotUnderstood,
    listed_as,
    read_scope,
    scope_name,
    scope_words,
)
from dlqconsole.console.parts.responses import page
from dlqconsole.console.parts.shown_filter import list_url
from dlqconsole.engine import audit
from dlqconsole.engine.gate import Shown
from dlqconsole.hosting.wording import translated
from dlqconsole.operations.requests.recipes import RecipePreview, preview
from dlqconsole.processing.patching import RecipeRefused, read_recipe

EXAMPLE = """[
  {"op": "test", "path": "/data/currency", "value": "eur"},
  {"op": "replace", "path": "/data/currency", "value": "EUR"}
]"""


_CARRIED = ("scope", "filter", "listed", "up_to", "ids", "operation", "source", "outcome")


@operator_required
@require_POST
def recipes(request: HttpRequest) -> HttpResponseBase:
    """The recipe's form over ticked or matching dead letters; with a recipe, its effect on some of them."""
    try:
        scope = read_scope(request.POST)
    except NotUnderstood as problem:
        messages.error(request, translated(problem))
        return redirect(list_url(listed_as(request.POST) or ""))
    form = RecipeForm(request.POST)
    text = form.read()["recipe"]
    if not text.strip():
        form = RecipeForm(initial={"recipe": EXAMPLE})
    context: dict[str, Any] = {
        "form": form,
        "words": scope_words(scope),
        "scope": scope_name(scope),
        "hidden": [(name, Shown(value)) for name in _CARRIED for value in request.POST.getlist(name)],
        "back_url": list_url(listed_as(request.POST) or ""),
        "confirm_url": reverse("dlq:operation_confirm"),
        "preview": None,
    }
    if text.strip():
        try:
            reveals = RecipeRevealForm(request.POST) if "reveal" in request.POST else None
            is_revealed = reveals is not None and reveals.is_valid()
            context["preview"] = preview(read_recipe(text), scope, is_masked=not is_revealed)
            context |= {"reveal_form": reveals or RecipeRevealForm(), "revealed": is_revealed}
            if reveals and is_revealed:
                _audit_reveal(request, context["preview"], reveals.cleaned_data["because"])
        except RecipeRefused as problem:
            form.add_error("recipe", translated(problem))
    return page(request, "console/operations/recipe.html", context, status=form.status)


def _audit_reveal(request: HttpRequest, recipe_preview: RecipePreview, reason: str) -> None:
    """Record for each dead letter with an unmasked payload the person and the reason."""
    for sample in recipe_preview.shown_samples:
        audit.record(
            actor(request), REVEAL, f"dead_letter:{sample.id}", reason=reason, detail={"by": "recipe"}
        )
