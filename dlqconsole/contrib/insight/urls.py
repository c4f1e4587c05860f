from django.urls import path

from dlqconsole.contrib.insight import domino_pages, pages

urlpatterns = [
    path("drift/", pages.drift, name="drift"),
    path("differs/", pages.differs, name="differs"),
    path("dead-letters/<id:letter_id>/nearest-success/", pages.nearest_success, name="nearest_success"),
    path("groups/<id:group_id>/common-ground/", pages.common_ground, name="common_ground"),
    path("groups/<id:group_id>/first-dominoes/", domino_pages.first_dominoes, name="first_dominoes"),
]
