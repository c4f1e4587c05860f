from django.contrib.auth.views import LogoutView
from django.urls import path, register_converter

from dlqconsole.console.converters import BigId
from dlqconsole.console.views import (
    audit,
    dead_letter,
    dead_letters,
    exports,
    groups,
    health,
    operations,
    overview,
    queues,
    reports,
    schedules,
    sign_in,
)

register_converter(BigId, "id")

urlpatterns = [
    path("", overview.overview, name="overview"),
    path("dead-letters/", dead_letters.dead_letters, name="dead_letters"),
    path("dead-letters/operations/", operations.confirm, name="operation_confirm"),
    path("dead-letters/export.<slug:format>", exports.export, name="export"),
    path("dead-letters/<id:letter_id>/", dead_letter.dead_letter, name="dead_letter"),
    path("dead-letters/<id:letter_id>/raw", dead_letter.dead_letter_raw, name="dead_letter_raw"),
    path("groups/", groups.groups, name="groups"),
    path("groups/<id:group_id>/", groups.group, name="group"),
    path("operations/", operations.operations, name="operations"),
    path("operations/<id:operation_id>/", operations.operation, name="operation"),
    path("operations/<id:operation_id>/cancellation/", operations.cancellation, name="operation_cancel"),
    path("queues/", queues.queues, name="queues"),
    path("schedules/", schedules.schedules, name="schedules"),
    path("reports/", reports.reports, name="reports"),
    path("reports/<slug:name>/", reports.report, name="report"),
    path("audit/", audit.audit, name="audit"),
    path("healthz", health.healthz, name="healthz"),
    path("login/", sign_in.SignInView.as_view(), name="login"),
    path("logout/", LogoutView.as_view(), name="logout"),
]
