from django.urls import path

from dlqconsole.console.drift import views

urlpatterns = [path("drift/", views.drift, name="drift")]
