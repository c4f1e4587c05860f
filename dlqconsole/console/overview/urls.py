from django.urls import path

from dlqconsole.console.overview import views

urlpatterns = [
    path("", views.overview, name="overview"),
]
