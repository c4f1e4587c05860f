"""The whole address space: the console, and Django's admin beside it."""

from django.contrib import admin
from django.urls import include, path

admin.autodiscover()

urlpatterns = [
    path("admin/", admin.site.urls),
    path("", include("dlqconsole.console.urls")),
]

handler400 = "dlqconsole.console.errors.views.bad_request"
handler403 = "dlqconsole.console.errors.views.forbidden"
handler404 = "dlqconsole.console.errors.views.not_found"
handler500 = "dlqconsole.console.errors.views.server_error"
