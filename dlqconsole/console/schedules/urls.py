from django.urls import path

from dlqconsole.console.schedules import views

urlpatterns = [
    path("schedules/", views.schedules, name="schedules"),
]
