from django.urls import path

from dlqconsole.console.audit import views

urlpatterns = [
    path("audit/", views.audit, name="audit"),
]
