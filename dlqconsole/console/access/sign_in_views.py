"""The sign-in page: one for everybody, the users of Django's admin included."""

from typing import Any

from django.conf import settings
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from dlqconsole.console.access import devices, sessions
from dlqconsole.console.access.backend import wait_of
from dlqconsole.hosting.wording import gettext_lazy


class SignInForm(AuthenticationForm):
    """A sign-in form whose error is the same whether the account exists or not."""

    error_messages = {
        "invalid_login": gettext_lazy("The name or the password is wrong."),
        "inactive": gettext_lazy("The name or the password is wrong."),
    }

    def clean(self) -> dict[str, Any]:
        try:
            return super().clean()
        except ValidationError:
            if wait := wait_of(self.request):
                raise ValidationError(wait_sentence(wait), code="held") from None
            raise


class SignInView(LoginView):
    """Django's own login with that form."""

    http_method_names = ["get", "head", "post", "options"]  # Django takes PUT for POST
    authentication_form = SignInForm
    redirect_authenticated_user = True

    # of Django 5.2 without an argument
    def get_redirect_url(self, *request: HttpRequest) -> str:  # type: ignore[override]
        target: str = super().get_redirect_url(*request)
        # a redirect to this page itself would be a loop, which Django answers with 500
        return "" if target.partition("?")[0] == self.request.path else target

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        with transaction.atomic():  # no sign-in without its audit entry
            response = super().form_valid(form)
        devices.remember_device(self.request, response, form.get_user())
        return response

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        response = super().form_invalid(form)
        if form.has_error("__all__", code="held"):
            response.status_code = 429
            response["Retry-After"] = str(wait_of(self.request))
        return response

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(signed_out=signed_out_sentence(self.request), **kwargs)


def wait_sentence(seconds: int) -> str:
    """The sentence for a person who must wait, known or not."""
    return _("Too many wrong passwords. Wait {minutes} and try again.").format(
        minutes=_minutes(-(-seconds // 60))
    )


def signed_out_sentence(request: HttpRequest) -> str:
    """The reason why a person was signed out, for the sign-in page; empty for others."""
    hours, idle = int(sessions.LONGEST.total_seconds() // 3600), _minutes(settings.DLQ_IDLE_MINUTES)
    sentences = {
        sessions.IDLE: _("You were signed out: nothing was done here for {idle}."),
        sessions.TOO_OLD: _(
            "You were signed out: that happens {hours} hours after signing in, to everybody."
        ),
    }
    return sentences.get(sessions.end_reason(request), "").format(idle=idle, hours=hours)


def _minutes(number: int) -> str:
    return ngettext("{number} minute", "{number} minutes", number).format(number=number)
