"""The order in which ``schema.sql`` is read, and can be run: what needs another thing stands after it."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.apps import apps

OURS = "dlqconsole."


@dataclass(frozen=True, slots=True)
class Chapter:
    """A part of the file. ``names``: tables, views, types and functions in order; triggers follow theirs."""

    title: str
    about: str
    names: tuple[str, ...]


_ENGINE = (
    Chapter(
        "Messages",
        "What waits, is scheduled, or is claimed. A plain INSERT of queue and payload is a whole message.",
        (
            "queues", "message_queue", "message_queue_unlogged", "queue_sleepers", "producer_queues",
            "message_queue_added",
            "queue_tokens", "queue_activity", "handler_reports",
            "breakers", "breakers_now", "breaker_bounded", "breaker_pause", "breaker_noted", "breaker_probe",
            "message_archive", "message_archive_unplaced", "message_archive_keep_until",
            "message_archive_prepare", "message_archive_drop", "message_archive_shorten",
        ),
    ),
    Chapter(
        "Dead letters",
        "Failed events and what became of them. What completes and classifies them is in the next part.",
        (
            "dead_letter_ids", "dlq_events", "dead_letter_transitions", "dead_letter_moves",
            "dlq_attempts", "dlq_attempts_folded", "message_queue_taken_over", "dead_letter_keep_failure",
            "dead_letter_raced", "payload_versions", "enriched_events", "dead_letter_becomes",
            "dead_letter_keeps_coming", "dead_letter_times_out",
            "dead_letter_key", "dead_letter_named", "dead_letter_same_bytes", "dead_letter_again", "paces",
            "success_samples", "sample_policies", "ingested_files",
        ),
    ),
    Chapter(
        "Classification and groups",
        "How a failure gets category, fingerprint and group. Whatever text comes in, nothing here raises.",
        (
            "dead_letter_error_class", "dead_letter_sqlstate", "dead_letter_http_status",
            "dead_letter_message", "dead_letter_frames", "dead_letter_hash", "dead_letter_wildcards",
            "failure_groups", "group_merges", "failure_rule_pattern_is_sound", "failure_rules",
            "dead_letter_class", "dead_letter_classify", "dead_letter_carry_merge",
            "event_moment", "event_occurred_at", "event_type_named",
            "dlq_events_complete", "dlq_events_another_type", "dlq_events_changed", "dlq_events_edited",
            "reclassify_dead_letters",
            "dead_letter_report",
        ),
    ),
    Chapter(
        "Counts",
        "How many dead letters there are, exact in every snapshot. A writer only adds to dead_letter_deltas,"
        " which are folded into the tables.",
        (
            "dead_letter_deltas", "dead_letter_counts", "dead_letter_hours", "dead_letter_totals",
            "dead_letter_trend", "revival_outcomes", "dlq_events_counted", "dlq_events_emptied",
            "event_changes", "event_hours", "event_hours_now", "event_changes_noted", "event_change_noted",
            "event_changes_emptied",
        ),
    ),
    Chapter(
        "Audit, locks and reviving",
        "Who changed what; who may run the schedule; putting one dead letter back from any language, and what"
        " becomes of it when its message goes.",
        (
            "audit_log", "audit_seals", "audit_log_refuse", "shedlock", "lock_tokens", "lock_taken",
            "lock_token_is_current", "revive_headers", "revive_dead_letter",
            "dead_letter_return_lost", "dead_letter_popped", "dead_letter_failed_there",
            "dead_letter_settle_removed",
            "message_queue_call_next", "message_queue_removed", "message_queue_emptied",
        ),
    ),
)  # fmt: skip


# by room, what stands behind its tables
_FUNCTIONS = {
    "reports": ("report_day_marks",),
    "runs": ("pipeline_runs_guarded",),
    "people": (
        "role_grants_held", "role_grants_follow", "role_grants_kept", "auth_user_noted",
        "auth_user_groups_noted", "auth_group_noted", "actor_words", "acting_person", "account_difference",
        "auth_user_audited", "auth_user_groups_audited", "auth_group_audited", "auth_permissions_audited",
        "scopes_noted",
    ),
}  # fmt: skip


def chapters() -> Iterator[Chapter]:
    """The engine's parts, then one for each room above it that has tables."""
    yield from _ENGINE
    for app in apps.get_app_configs():
        names = tuple(model._meta.db_table for model in app.get_models())
        if app.name.startswith(OURS) and app.label != "engine" and names:
            about = f"The tables of dlqconsole/{app.label}."
            yield Chapter(str(app.verbose_name), about, names + _FUNCTIONS.get(app.label, ()))
