from django.urls import path

from dlqconsole.console.runs import views

urlpatterns = [
    path("runs/", views.runs, name="runs"),
    path("runs/<id:run_id>/", views.run, name="run"),
    path("runs/<id:run_id>/cancel/", views.cancellation, name="run_cancel"),
    path("runs/new/<slug:job>/", views.new, name="run_new"),
]
