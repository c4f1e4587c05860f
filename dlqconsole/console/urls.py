from django.contrib.auth.views import LogoutView
from django.urls import path, register_converter

from dlqconsole.console.converters import BigId, QueueName
from dlqconsole.console.views import (
    audit,
    dead_letter,
    dead_letters,
    edit,
    exports,
    groups,
    health,
    metrics,
    operation_controls,
    operations,
    overview,
    queue,
    queue_actions,
    queue_messages,
    queues,
    recipes,
    reports,
    schedules,
    sign_in,
)

register_converter(BigId, "id")
register_converter(QueueName, "queue")

urlpatterns = [
    path("", overview.overview, name="overview"),
    path("dead-letters/", dead_letters.dead_letters, name="dead_letters"),
    path("dead-letters/operations/", operations.confirm, name="operation_confirm"),
    path("dead-letters/export.<slug:format>", exports.export, name="export"),
    path("dead-letters/<id:letter_id>/", dead_letter.dead_letter, name="dead_letter"),
    path("dead-letters/<id:letter_id>/raw", dead_letter.dead_letter_raw, name="dead_letter_raw"),
    path("dead-letters/<id:letter_id>/edit/", edit.edit, name="dead_letter_edit"),
    path("dead-letters/<id:letter_id>/versions/", edit.versions, name="dead_letter_versions"),
    path("dead-letters/recipes/", recipes.recipes, name="recipes"),
    path("groups/", groups.groups, name="groups"),
    path("groups/<id:group_id>/", groups.group, name="group"),
    path("operations/", operations.operations, name="operations"),
    path("operations/<id:operation_id>/", operations.operation, name="operation"),
    path("operations/<id:operation_id>/pause/", operation_controls.pause, name="operation_pause"),
    path("operations/<id:operation_id>/resumption/", operation_controls.resume, name="operation_resume"),
    path(
        "operations/<id:operation_id>/cancellation/", operation_controls.cancellation, name="operation_cancel"
    ),
    path("operations/<id:operation_id>/approval/", operation_controls.approval, name="operation_approve"),
    path("operations/<id:operation_id>/refusal/", operation_controls.refusal, name="operation_refuse"),
    path("operations/<id:operation_id>/undo/", operation_controls.undo, name="operation_undo"),
    path("queues/", queues.queues, name="queues"),
    path("queues/new", queues.new, name="queue_new"),
    path("queues/<queue:name>/", queue.queue, name="queue"),
    path("queues/<queue:name>/archive/", queue.archive, name="queue_archive"),
    path("queues/<queue:name>/messages/", queue_messages.messages, name="queue_messages"),
    path("queues/<queue:name>/messages/<id:number>/", queue_messages.message, name="queue_message"),
    path("queues/<queue:name>/messages/<id:number>/raw", queue_messages.raw, name="queue_message_raw"),
    path("queues/<queue:name>/policy/", queue_actions.policy, name="queue_policy"),
    path("queues/<queue:name>/pause/", queue_actions.pause, name="queue_pause"),
    path("queues/<queue:name>/resume/", queue_actions.resume, name="queue_resume"),
    path("queues/<queue:name>/purge/", queue_actions.purge, name="queue_purge"),
    path("queues/<queue:name>/drop/", queue_actions.drop, name="queue_drop"),
    path("schedules/", schedules.schedules, name="schedules"),
    path("reports/", reports.reports, name="reports"),
    path("reports/<slug:name>/", reports.report, name="report"),
    path("audit/", audit.audit, name="audit"),
    path("metrics", metrics.metrics, name="metrics"),
    path("healthz", health.healthz, name="healthz"),
    path("login/", sign_in.SignInView.as_view(), name="login"),
    path("logout/", LogoutView.as_view(), name="logout"),
]
