from django.urls import path

from dlqconsole.console.groups import views

urlpatterns = [
    path("groups/", views.groups, name="groups"),
    path("groups/<id:group_id>/", views.group, name="group"),
    path("groups/<id:group_id>/common-ground/", views.common_ground, name="common_ground"),
]
