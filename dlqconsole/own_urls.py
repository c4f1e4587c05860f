"""The addresses of our own project: the console, its sign-in page, and Django's admin beside it."""

from django.contrib import admin
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import LogoutView
from django.urls import include, path
from django.views.decorators.http import require_POST
from django.views.i18n import set_language

from dlqconsole.console import administration  # noqa: F401 - registers its pages
from dlqconsole.console.access.sign_in_views import SignInView
from dlqconsole.console.serving import served

urlpatterns = [
    *served(
        [
            path("admin/", admin.site.urls),
            path("login/", SignInView.as_view(), name="login"),
            path("logout/", LogoutView.as_view(), name="logout"),
            path("i18n/setlang/", login_not_required(require_POST(set_language)), name="set_language"),
        ]
    ),
    path("", include("dlqconsole.urls")),
]

handler400 = "dlqconsole.console.errors.bad_request"
handler403 = "dlqconsole.console.errors.forbidden"
handler404 = "dlqconsole.console.errors.not_found"
handler500 = "dlqconsole.console.errors.server_error"
