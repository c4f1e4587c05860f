from django.urls import path

from dlqconsole.console.dead_letters import detail_views, edit_views, export_views, find_views, list_views

urlpatterns = [
    path("dead-letters/", list_views.dead_letters, name="dead_letters"),
    path("dead-letters/find", find_views.find, name="find"),
    path("dead-letters/export.<slug:format>", export_views.export, name="export"),
    path("dead-letters/<id:letter_id>/", detail_views.dead_letter, name="dead_letter"),
    path("dead-letters/<id:letter_id>/raw", detail_views.dead_letter_raw, name="dead_letter_raw"),
    path("dead-letters/<id:letter_id>/edit/", edit_views.edit, name="dead_letter_edit"),
    path("dead-letters/<id:letter_id>/versions/", edit_views.versions, name="dead_letter_versions"),
]
