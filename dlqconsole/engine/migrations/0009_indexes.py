from django.db import migrations

from dlqconsole.engine.migrations._index_comments import drop_unasked, say_what_indexes_serve

SERVED = {
    "message_queue_pkey": "complete, extend, retry, release: messages by number",
    "message_queue_live": "claim: the most urgent first, in the order of sending. What is in flight stays in it, so that claiming, extending and taking over touch no index (HOT)",
    "message_queue_later": "stager: which scheduled messages have come due, and when the next one will; the list of scheduled messages",
    "message_queue_group": "claim, send: whether an earlier message of the group is still there; call the next of a group; the list of waiting messages",
    "message_queue_held": "what is held back on a queue: counted, listed, purged",
    "message_queue_unhandled": "what was put back for want of a handler: counted by type, and called by a consumer that has one",
    "message_queue_dedupe": "send with a dedupe_key: a second one is not sent",
    "message_queue_one_of_a_group": "claim: no two messages of a group are ever in flight",
    "message_queue_one_per_revival": "the second guard against a double revive: one message for each revival; a dead letter's page finds its message",
    "message_queue_unlogged_pkey": "complete, extend, retry, release: messages by number",
    "message_queue_unlogged_live": "the same as message_queue_live",
    "message_queue_unlogged_later": "the same as message_queue_later",
    "message_queue_unlogged_group": "the same as message_queue_group",
    "message_queue_unlogged_held": "the same as message_queue_held",
    "message_queue_unlogged_unhandled": "the same as message_queue_unhandled",
    "message_queue_unlogged_dedupe": "the same as message_queue_dedupe",
    "message_queue_unlogged_one_of_a_group": "the same as message_queue_one_of_a_group",
    "message_queue_unlogged_one_per_revival": "the same as message_queue_one_per_revival",
    "queues_pkey": "every claim and send: the queue's policy by name",
    "queue_activity_pkey": "a row by number; nothing of ours asks for it",
    "queue_activity_minute": "consumers add to a queue's minute; the pace of a queue, its last hour, which queues were busy",
    "queue_breakers_pkey": "every consumer: whether its queue is left alone",
    "queue_sleepers_pkey": "send: whether anybody waits for the queue; a consumer's own row",
    "queue_tokens_pkey": "claim from a queue with a rate limit",
    "message_archive_queue": "a queue's archive, newest first; what of it a shorter policy would cost",
    "message_archive_id": "an archived message by number",
    "message_archive_unplaced_until": "what has outlived its time where no partition was made; which days stand there",
    "handler_reports_pkey": "a worker or consumer finds what it said last; who runs now",
    "dlq_events_pkey": "a dead letter by number; pages of operations, in the order of the numbers",
    "dlq_events_source": "a failure that comes again finds its row: a redelivered failure is one row; an ingest repeated changes nothing",
    "dlq_events_newest": "the list, newest first; a time range",
    "dlq_events_status_newest": "the list within a status; retention: what is closed, by age",
    "dlq_events_type_newest": "the list within an event type",
    "dlq_events_group": "a failure group's page, its newest, and its members by status",
    "dlq_events_due": "the schedule: what may be retried of a type that has a handler, in the order it is due",
    "dlq_events_in_flight": "the schedule: leases that may have run out",
    "dlq_attempts_pkey": "an attempt by number: the list in the admin",
    "dlq_events_same_id": "a dead letter's page: others under its source and id",
    "dlq_attempts_of_event": "a dead letter's attempts, in order",
    "dlq_attempts_of_message": "the attempts on a message, when it becomes a dead letter",
    "payload_versions_pkey": "a version by number: the list in the admin",
    "payload_versions_once": "a dead letter's versions, in order; no number twice",
    "enriched_events_pkey": "the daily reports read by ranges of numbers; the list in the admin",
    "enriched_events_source": "a handler that ran again changes nothing: one row an event; a report takes an event once",
    "enriched_events_type": "for people's own queries: the records of an event type in order; nothing of ours asks",
    "failure_groups_pkey": "a group by number; the trigger looks whether a group is there and resolved",
    "failure_groups_not_open": "the few that are resolved, regressed or snoozed: the tabs of the list, snoozes that are over",
    "failure_rules_pkey": "a rule by number",
    "group_merges_pkey": "classification: whether somebody merged this fingerprint",
    "dead_letter_counts_pkey": "the fold adds to a count; the counts of one group",
    "dead_letter_hours_pkey": "the fold adds to an hour; the trend of one group",
    "dead_letter_hours_hour": "the trend of all groups since a moment",
    "revival_outcomes_pkey": "a row by number; nothing of ours asks for it",
    "audit_log_pkey": "the audit log, newest first",
    "audit_log_target": "the history of one dead letter, group, queue or operation, newest first",
    "audit_log_operation": "what one operation did",
    "shedlock_pkey": "take, extend and release a lock by name",
    "group_merges_group_id_d1e566e9": "the fingerprints that were merged into a group",
    "revival_outcomes_operation_id_5b02e7cd": "what became of an operation's revived dead letters",
}


class Migration(migrations.Migration):
    """Each index with the query that it serves."""

    dependencies = [("engine", "0008_locks_and_audit")]
    operations = [
        drop_unasked(
            "queues_name_64bae2e9_like",
            "queue_breakers_queue_04f18b51_like",
            "handler_reports_worker_766f6a81_like",
        ),
        say_what_indexes_serve(SERVED),
    ]
