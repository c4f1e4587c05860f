from django.urls import path

from dlqconsole.console.reports import views

urlpatterns = [
    path("reports/", views.reports, name="reports"),
    path("reports/<slug:name>/", views.report, name="report"),
    path("reports/<slug:name>/export.<slug:format>", views.export, name="report-export"),
]
