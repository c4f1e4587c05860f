from django.contrib.postgres.operations import AddConstraintNotValid
from django.db import migrations, models

_FIRST, _END = "1900-01-01T00:00:00Z", "9999-01-01T00:00:00Z"


def _readable(model, name, *moments):
    bounds = [(f"{moment}__gt", _FIRST) for moment in moments] + [
        (f"{moment}__lt", _END) for moment in moments
    ]
    return AddConstraintNotValid(
        model, models.CheckConstraint(condition=models.Q(*sorted(bounds)), name=name)
    )


def _not_below_zero(model, name, *numbers):
    bounds = [(f"{number}__gte", 0) for number in numbers]
    return AddConstraintNotValid(model, models.CheckConstraint(condition=models.Q(*bounds), name=name))


class Migration(migrations.Migration):
    """What is written from now on can be read; what is there is put right and checked by the next migration.

    Each table is locked for a moment only, however long it is.
    """

    dependencies = [("engine", "0014_revive_in_order")]
    operations = [
        _readable("attempt", "dlq_attempts_moments", "finished_at", "started_at"),
        # the audit log only grows: what stands there already stays as it is
        _readable("auditentry", "audit_log_moments", "at"),
        _readable("deadletter", "dlq_events_other_moments", "lease_until", "revived_at", "updated_at"),
        _readable(
            "failuregroup", "failure_groups_moments", "created_at", "snoozed_until", "state_changed_at"
        ),
        _readable("failurerule", "failure_rules_moments", "created_at", "updated_at"),
        _readable("groupmerge", "group_merges_moments", "created_at"),
        _readable("message", "message_queue_lease_moments", "dequeued_time", "lease_until"),
        _readable("payloadversion", "payload_versions_moments", "created_at"),
        _readable("queue", "queues_moments", "created_at"),
        _readable("queueactivity", "queue_activity_moments", "minute"),
        _readable("queuebreaker", "queue_breakers_moments", "open_until", "opened_at"),
        # no page has an address for them
        _not_below_zero("deadletter", "dlq_events_numbers", "fingerprint_id", "group_id", "id"),
        _not_below_zero("failuregroup", "failure_groups_numbers", "id"),
        _not_below_zero("message", "message_queue_numbers", "id"),
    ]
