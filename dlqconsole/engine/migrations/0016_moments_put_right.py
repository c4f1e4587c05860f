from django.contrib.postgres.operations import ValidateConstraint
from django.db import migrations

from dlqconsole.engine.migrations._sql_file import run_sql_file


class Migration(migrations.Migration):
    dependencies = [("engine", "0015_readable_moments")]
    operations = [
        run_sql_file("0016_moments_put_right"),
        ValidateConstraint("deadletter", "dlq_events_numbers"),
        ValidateConstraint("failuregroup", "failure_groups_numbers"),
        ValidateConstraint("message", "message_queue_numbers"),
        ValidateConstraint("attempt", "dlq_attempts_moments"),
        ValidateConstraint("deadletter", "dlq_events_other_moments"),
        ValidateConstraint("failuregroup", "failure_groups_moments"),
        ValidateConstraint("failurerule", "failure_rules_moments"),
        ValidateConstraint("groupmerge", "group_merges_moments"),
        ValidateConstraint("message", "message_queue_lease_moments"),
        ValidateConstraint("payloadversion", "payload_versions_moments"),
        ValidateConstraint("queue", "queues_moments"),
        ValidateConstraint("queueactivity", "queue_activity_moments"),
        ValidateConstraint("queuebreaker", "queue_breakers_moments"),
    ]
