"""Signing in, slowed down for whoever guesses."""

from typing import Any

from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView
from django.core.exceptions import ValidationError
from django.http import HttpResponse

from dlqconsole.console.access import throttle


class SignInForm(AuthenticationForm):
    """Counts wrong passwords; the sentence is the same whether the account exists or not."""

    error_messages = {
        "invalid_login": "The name or the password is wrong.",
        "inactive": "The name or the password is wrong.",
        "held": "Too many wrong passwords. Wait a quarter of an hour and try again.",
    }

    def clean(self) -> dict[str, Any]:
        account = str(self.data.get("username", ""))
        request = self.request
        if request is None:
            return super().clean()
        if throttle.is_held(account, request):
            raise ValidationError(self.error_messages["held"], code="held")
        try:
            cleaned = super().clean()
        except ValidationError:
            throttle.note_failure(account, request)
            raise
        if self.get_user() is not None:  # not where a field was missing, and nothing was tried
            throttle.forget(account, request)
        return cleaned


class SignInView(LoginView):
    """Django's own login with that form."""

    authentication_form = SignInForm
    redirect_authenticated_user = True

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        response = super().form_invalid(form)
        if form.has_error("__all__", code="held"):
            response.status_code = 429
        return response
