"""The addresses of our own project: the console, its sign-in page, and Django's admin beside it."""

from django.contrib import admin
from django.contrib.auth.views import LogoutView
from django.urls import include, path

from dlqconsole.console import administration  # noqa: F401 - registers its pages
from dlqconsole.console.access.sign_in_views import SignInView
from dlqconsole.console.serving import served

urlpatterns = [
    *served(
        [
            path("admin/", admin.site.urls),
            path("login/", SignInView.as_view(), name="login"),
            path("logout/", LogoutView.as_view(), name="logout"),
        ]
    ),
    path("", include("dlqconsole.urls")),
]

handler400 = "dlqconsole.console.errors.bad_request"
handler403 = "dlqconsole.console.errors.forbidden"
handler404 = "dlqconsole.console.errors.not_found"
handler500 = "dlqconsole.console.errors.server_error"
