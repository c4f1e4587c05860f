from django.urls import path

from dlqconsole.console.groups import views

urlpatterns = [
    path("groups/", views.groups, name="groups"),
    path("groups/<id:group_id>/", views.group, name="group"),
]
