"""Personal tokens, for the command line or for reports over HTTP: made with a password, shown once."""

from typing import Any

from django.contrib import messages
from django.contrib.auth import authenticate
from django.forms import CharField, PasswordInput
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from dlqconsole.console.access.permissions import actor, role_of, viewer_required
from dlqconsole.console.parts.fields import TypedField
from dlqconsole.console.parts.forms import ConsoleForm
from dlqconsole.console.parts.responses import page
from dlqconsole.engine.access_scope import current_access
from dlqconsole.hosting.wording import gettext_lazy
from dlqconsole.people import tokens as service
from dlqconsole.people.models import PersonalToken
from dlqconsole.people.roles import may
from dlqconsole.people.tokens import DAYS, LABEL, LEAST_ROLES, REPORT, SCOPE

USUAL_DAYS = 90


class TokenForm(ConsoleForm):
    """Its purpose, its duration, and the password once more: a session alone makes no token."""

    ids = "token"

    label = TypedField(LABEL)
    scope = TypedField(SCOPE)
    days = TypedField(DAYS, initial=USUAL_DAYS)
    password = CharField(
        label=gettext_lazy("Your password, once more"),
        max_length=4_096,
        strip=False,
        error_messages={
            "required": gettext_lazy("Type your password: whoever finds your browser open has none.")
        },
        widget=PasswordInput(attrs={"autocomplete": "current-password"}),
    )


SHOWN = 200


@sensitive_post_parameters("password")
@never_cache
@viewer_required
@require_http_methods(["GET", "HEAD", "POST"])
def tokens(request: HttpRequest) -> HttpResponse:
    """One's own tokens, or everybody's for an administrator who asks; a POST makes one."""
    form = TokenForm.from_request(request)
    new_token = _make(request, form) if form.is_valid() else ""
    sees_to_all = _sees_to_all(request)
    of_all = sees_to_all and request.GET.get("of") == "all"
    context = {
        "form": TokenForm() if new_token else form,
        "made": new_token,
        "reports": form.data.get("scope") == REPORT,
        "sees_to_all": sees_to_all,
        "of_all": of_all,
        "tokens": _rows(None if of_all else request.user.pk),
        "most": SHOWN,
    }
    return page(request, "console/tokens/list.html", context, status=form.status)


def _make(request: HttpRequest, form: TokenForm) -> str:
    """The new token's text, once; empty if the password was wrong."""
    values = form.cleaned_data
    if not may(role_of(request), LEAST_ROLES[values["scope"]]):
        form.add_error("scope", _("Viewers report nothing. Ask an administrator to become an operator."))
        return ""
    user = authenticate(request, username=request.user.get_username(), password=values["password"])
    if user is None or user.pk != request.user.pk:
        form.add_error("password", _("The password is wrong, or was wrong too often."))
        return ""
    return service.make(user.pk, values["label"], values["days"], actor(request), values["scope"])[1]


def _sees_to_all(request: HttpRequest) -> bool:
    """Tell whether the person manages all tokens. An administrator with a scope sees no accounts."""
    return role_of(request) == "admin" and not current_access().is_limited


def _rows(user_id: int | None) -> list[dict[str, Any]]:
    return [
        {"token": token, "is_over": service.is_expired(token)}
        for token in service.list_tokens(user_id)[:SHOWN]
    ]


@viewer_required
@require_POST
def revocation(request: HttpRequest, token_id: int) -> HttpResponseBase:
    """End one's own token; an administrator without a scope ends anybody's."""
    token = PersonalToken.objects.filter(pk=token_id).first()
    if token is None or (token.user_id != request.user.pk and not _sees_to_all(request)):
        raise Http404(_("There is no token {token_id} of yours.").format(token_id=token_id))
    if service.revoke(token, actor(request)):
        messages.success(
            request,
            _("The token {prefix}… is revoked: it proves nothing any more.").format(prefix=token.prefix),
        )
    else:
        messages.info(request, _("The token {prefix}… was revoked before.").format(prefix=token.prefix))
    return redirect("dlq:tokens")
