from django.conf import settings
from django.contrib import admin
from django.contrib.auth.views import LoginView
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import include, path


def overview(request):
    return HttpResponse("the shop")


def tellers(request):
    """A page that shows an address unmasked, and that a template of the console's could stand in for."""
    return render(request, "error_base.html", {"address": "teller@shop.example"})


urlpatterns = [
    path("", overview, name="overview"),
    path("tellers/", tellers),
    path("come-in/", LoginView.as_view(template_name="come_in.html"), name="come-in"),
    path("admin/", admin.site.urls),
]
if not settings.IS_ALONE:
    urlpatterns += [path("tools/dlq/", include("dlqconsole.urls"))]
