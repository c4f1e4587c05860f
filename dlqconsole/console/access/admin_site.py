"""Django's admin as a site that people enter through the console's sign-in page.

It is apart from ``console.administration``, which registers its pages with it.
"""

from typing import Any

from django.contrib.admin import AdminSite
from django.contrib.admin.forms import AdminPasswordChangeForm
from django.contrib.auth import authenticate
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import LoginView, PasswordChangeView, redirect_to_login
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache

from dlqconsole.console.access.backend import wait_of
from dlqconsole.console.access.permissions import actor
from dlqconsole.console.access.sign_in_views import wait_sentence
from dlqconsole.hosting.wording import gettext_lazy as _
from dlqconsole.people.actors import acting_as

_NOT_STAFF = _(
    "This part is for administrators. Ask one to make you staff, or sign out and in again as somebody who is."
)


class PasswordForm(AdminPasswordChangeForm):
    """Django's own compares the old password itself; this form has the backend do it, and count."""

    def __init__(self, *args: Any, request: HttpRequest, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.request = request

    def clean_old_password(self) -> str:
        old: str = self.cleaned_data["old_password"]
        if authenticate(self.request, username=self.user.get_username(), password=old) != self.user:
            wait = wait_of(self.request)
            raise ValidationError(wait_sentence(wait) if wait else self.error_messages["password_incorrect"])
        return old


class PasswordView(PasswordChangeView):
    """Django's own view with that form."""

    form_class = PasswordForm

    def form_valid(self, form: Any) -> HttpResponse:
        with acting_as(actor(self.request)):
            return super().form_valid(form)

    def get_form_kwargs(self) -> dict[str, Any]:
        return {**super().get_form_kwargs(), "request": self.request}


class Site(AdminSite):
    """An admin site without a sign-in page of its own: everybody signs in at the console's."""

    @method_decorator([never_cache, login_not_required])
    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Redirect to the console's page and back; 403 for a person who is signed in and may not enter."""
        wanted = LoginView(request=request).get_redirect_url()
        target = wanted or reverse("admin:index", current_app=self.name)
        if self.has_permission(request):
            return HttpResponseRedirect(target)
        if request.user.is_authenticated:
            raise PermissionDenied(_NOT_STAFF)
        return redirect_to_login(target)

    def password_change(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        """Change one's own password."""
        context = {**self.each_context(request), **(extra_context or {})}
        success_url = reverse("admin:password_change_done", current_app=self.name)
        return PasswordView.as_view(success_url=success_url, extra_context=context)(request)
