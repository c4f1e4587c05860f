from django.urls import path

from dlqconsole.console.operations import control_views, download_views, recipe_views, views

urlpatterns = [
    path("dead-letters/operations/", views.confirm, name="operation_confirm"),
    path("dead-letters/recipes/", recipe_views.recipes, name="recipes"),
    path("operations/", views.operations, name="operations"),
    path("operations/<id:operation_id>/", views.operation, name="operation"),
    path("operations/<id:operation_id>/export", download_views.export_file, name="operation_export"),
    path("operations/<id:operation_id>/items.csv", download_views.items, name="operation_items"),
    path("operations/<id:operation_id>/pause/", control_views.pause, name="operation_pause"),
    path("operations/<id:operation_id>/resumption/", control_views.resume, name="operation_resume"),
    path("operations/<id:operation_id>/cancellation/", control_views.cancellation, name="operation_cancel"),
    path("operations/<id:operation_id>/approval/", control_views.approval, name="operation_approve"),
    path("operations/<id:operation_id>/refusal/", control_views.refusal, name="operation_refuse"),
    path("operations/<id:operation_id>/full-speed/", control_views.full_speed, name="operation_full_speed"),
    path("operations/<id:operation_id>/undo/", control_views.undo, name="operation_undo"),
]
