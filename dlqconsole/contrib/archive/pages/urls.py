from django.urls import path

from dlqconsole.contrib.archive.pages import action_views, views

urlpatterns = [
    path("archive/", views.archive, name="archive"),
    path("archive/restore/", action_views.restore_found, name="archive_restore_found"),
    path("archive/<id:letter_id>/restore/", action_views.restore, name="archive_restore"),
    path("archive/<id:letter_id>/erase/", action_views.erase, name="archive_erase"),
]
