"""The console's addresses, and those of the features."""

import base64
import binascii
import re

from django.urls import URLPattern, URLResolver, include, path, register_converter

from dlqconsole.console import handover, revealing, tokens
from dlqconsole.console.audit import views as audit
from dlqconsole.console.dead_letters import (
    detail_views,
    edit_views,
    export_views,
    find_views,
    list_views,
    palette,
    saved_views,
    suggestion_views,
)
from dlqconsole.console.groups import views as groups
from dlqconsole.console.monitoring import views as monitoring
from dlqconsole.console.operations import control_views, download_views, recipe_views
from dlqconsole.console.operations import views as operations
from dlqconsole.console.overview import views as overview
from dlqconsole.console.queues import action_views as queue_actions
from dlqconsole.console.queues import detail_views as queue_details
from dlqconsole.console.queues import list_views as queue_lists
from dlqconsole.console.queues import message_views
from dlqconsole.console.reports import views as reports
from dlqconsole.console.rules import owner_views as owners
from dlqconsole.console.rules import views as rules
from dlqconsole.console.runs import views as runs
from dlqconsole.console.schedules import action_views as schedule_actions
from dlqconsole.console.schedules import breaker_views, policy_views
from dlqconsole.console.schedules import views as schedules
from dlqconsole.features import features


class BigId:
    """A row's number, as a bigint; any other address does not exist."""

    regex = "[0-9]{1,19}"

    def to_python(self, value: str) -> int:
        number = int(value)
        if number >= 2**63:
            raise ValueError("beyond bigint")
        return number

    def to_url(self, value: int) -> str:
        return str(value)


class QueueName:
    """A queue's name, even one from plain SQL: ``orders`` as it is, ``a/b`` as ``=YS9i``."""

    regex = "[^/]+"
    _plain = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.:-]*")

    def to_python(self, value: str) -> str:
        if not value.startswith("="):
            return value
        try:
            return base64.urlsafe_b64decode(value[1:] + "=" * (-len(value[1:]) % 4)).decode()
        except (binascii.Error, ValueError) as error:
            raise ValueError("not a name of ours") from error

    def to_url(self, value: str) -> str:
        if self._plain.fullmatch(value):
            return value
        return "=" + base64.urlsafe_b64encode(value.encode()).decode().rstrip("=")


register_converter(BigId, "id")
register_converter(QueueName, "queue")

urlpatterns: list[URLPattern | URLResolver] = [
    path("", overview.overview, name="overview"),
    path("dead-letters/", list_views.dead_letters, name="dead_letters"),
    path("dead-letters/suggestions", suggestion_views.suggestions, name="suggestions"),
    path("places", palette.palette, name="palette"),
    path("dead-letters/views", saved_views.saved_views, name="saved_views"),
    path("dead-letters/find", find_views.find, name="find"),
    path("dead-letters/export", export_views.export, name="export"),
    path("dead-letters/<id:letter_id>/", detail_views.dead_letter, name="dead_letter"),
    path("dead-letters/<id:letter_id>/raw", detail_views.dead_letter_raw, name="dead_letter_raw"),
    path("dead-letters/<id:letter_id>/edit/", edit_views.edit, name="dead_letter_edit"),
    path("dead-letters/<id:letter_id>/versions/", edit_views.versions, name="dead_letter_versions"),
    path("dead-letters/operations/", operations.confirm, name="operation_confirm"),
    path("dead-letters/recipes/", recipe_views.recipes, name="recipes"),
    path("operations/", operations.operations, name="operations"),
    path("operations/<id:operation_id>/", operations.operation, name="operation"),
    path("operations/<id:operation_id>/export", download_views.export_file, name="operation_export"),
    path("operations/<id:operation_id>/items.csv", download_views.items, name="operation_items"),
    path("operations/<id:operation_id>/notice/", operations.notice, name="operation_notice"),
    path("operations/<id:operation_id>/pause/", control_views.pause, name="operation_pause"),
    path("operations/<id:operation_id>/resumption/", control_views.resume, name="operation_resume"),
    path("operations/<id:operation_id>/probes/", control_views.probe, name="operation_probe"),
    path("operations/<id:operation_id>/cancellation/", control_views.cancellation, name="operation_cancel"),
    path("operations/<id:operation_id>/approval/", control_views.approval, name="operation_approve"),
    path("operations/<id:operation_id>/refusal/", control_views.refusal, name="operation_refuse"),
    path("operations/<id:operation_id>/full-speed/", control_views.full_speed, name="operation_full_speed"),
    path("operations/<id:operation_id>/undo/", control_views.undo, name="operation_undo"),
    path("dead-letters/<id:letter_id>/revelations/", revealing.dead_letter, name="dead_letter_reveal"),
    path(
        "queues/<queue:name>/messages/<id:number>/revelations/",
        revealing.message,
        name="queue_message_reveal",
    ),
    path("groups/", groups.groups, name="groups"),
    path("groups/<id:group_id>/", groups.group, name="group"),
    path("rules/", rules.rules, name="rules"),
    path("rules/new", rules.new, name="rule_new"),
    path("rules/<id:rule_id>/", rules.rule, name="rule"),
    path("rules/<id:rule_id>/switch/", rules.switch, name="rule_switch"),
    path("rules/<id:rule_id>/deletion/", rules.delete, name="rule_delete"),
    path("rules/<id:rule_id>/place/", rules.move, name="rule_move"),
    path("handover/", handover.handover, name="handover"),
    path("owners/", owners.owner_rules, name="owner_rules"),
    path("owners/<id:rule_id>/", owners.owner_rule, name="owner_rule"),
    path("owners/<id:rule_id>/place/", owners.move, name="owner_rule_move"),
    path("queues/", queue_lists.queues, name="queues"),
    path("queues/new", queue_lists.new, name="queue_new"),
    path("queues/<queue:name>/", queue_details.queue, name="queue"),
    path("queues/<queue:name>/archive/", queue_details.archive, name="queue_archive"),
    path("queues/<queue:name>/messages/", message_views.messages, name="queue_messages"),
    path("queues/<queue:name>/messages/<id:number>/", message_views.message, name="queue_message"),
    path("queues/<queue:name>/messages/<id:number>/raw", message_views.raw, name="queue_message_raw"),
    path("queues/<queue:name>/messages/<id:number>/due/", message_views.make_due, name="queue_message_due"),
    path(
        "queues/<queue:name>/messages/<id:number>/delete/", message_views.delete, name="queue_message_delete"
    ),
    path("queues/<queue:name>/policy/", queue_actions.policy, name="queue_policy"),
    path("queues/<queue:name>/pause/", queue_actions.pause, name="queue_pause"),
    path("queues/<queue:name>/resume/", queue_actions.resume, name="queue_resume"),
    path("queues/<queue:name>/purge/", queue_actions.purge, name="queue_purge"),
    path("queues/<queue:name>/drop/", queue_actions.drop, name="queue_drop"),
    path("schedules/", schedules.schedules, name="schedules"),
    path("schedules/run/", schedule_actions.run_now, name="schedule_run"),
    path("schedules/pause/", schedule_actions.pause, name="schedule_pause"),
    path("schedules/resume/", schedule_actions.resume, name="schedule_resume"),
    path("schedules/breakers/hold/", breaker_views.hold, name="breaker_hold"),
    path("schedules/breakers/resume/", breaker_views.resume, name="breaker_resume"),
    path("schedules/lock/", schedule_actions.take_over, name="schedule_take_over"),
    path("schedules/policies/new", policy_views.new, name="policy_new"),
    path("schedules/policies/<id:policy_id>/", policy_views.policy, name="policy"),
    path("schedules/policies/<id:policy_id>/deletion/", policy_views.delete, name="policy_delete"),
    path("reports/", reports.reports, name="reports"),
    path("reports/<slug:name>/", reports.report, name="report"),
    path("reports/<slug:name>/export.<slug:format>", reports.export, name="report-export"),
    path("runs/", runs.runs, name="runs"),
    path("runs/<id:run_id>/", runs.run, name="run"),
    path("runs/<id:run_id>/cancel/", runs.cancellation, name="run_cancel"),
    path("runs/new/<slug:job>/", runs.new, name="run_new"),
    path("audit/", audit.audit, name="audit"),
    path("audit/export", audit.export, name="audit_export"),
    path("tokens/", tokens.tokens, name="tokens"),
    path("tokens/<id:token_id>/revocation/", tokens.revocation, name="token_revoke"),
    path("metrics", monitoring.metrics, name="metrics"),
    path("healthz", monitoring.healthz, name="healthz"),
    path("readyz", monitoring.readyz, name="readyz"),
    *(path("", include(feature.addresses)) for feature in features() if feature.addresses),
]
