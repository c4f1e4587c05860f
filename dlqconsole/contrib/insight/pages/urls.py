from django.urls import path

from dlqconsole.contrib.insight.pages import views

urlpatterns = [
    path("drift/", views.drift, name="drift"),
    path("groups/<id:group_id>/common-ground/", views.common_ground, name="common_ground"),
]
