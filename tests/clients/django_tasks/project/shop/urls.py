"""The shop's addresses: the console's alone."""

from django.urls import include, path

urlpatterns = [path("dlq/", include("dlqconsole.urls"))]
