"""The roles and their rights, column by column. Rights that are not named here only the owner has.

The columns of a reader have numbers, times, states, and the names by which things are counted: queue, event
type, source, error class, owner, the keys of report rows. Those came from outside, too, and are as they came.
There is no payload, header, reason, trace, note, key of a group or of an event. To see such texts, people
sign in to the console, which masks and audits.
"""

from dataclasses import dataclass, field, replace

from dlqconsole.features import Right, features

READ, ALL = "SELECT", "SELECT, INSERT, UPDATE, DELETE"

# the console, the workers and the pipeline may write everything else that is ours
_APP_TABLES = {
    "audit_log": READ,
    "auth_permission": READ,
    "django_content_type": READ,
    "django_migrations": READ,
    "schema_parts": READ,
    "producer_queues": READ,
    # triggers of shedlock write it: nobody gives himself a token
    "lock_tokens": READ,
    # triggers of Django's tables write them, with the owner's rights
    "role_grants": READ,
    "account_names": READ,
    "personal_tokens": "SELECT, INSERT, UPDATE",
}


def app_tables() -> dict[str, str]:
    """The rights of the application's role on tables, where it has not all of them."""
    brought = (right for feature in features() for right in feature.rights.get(APP.name, ()))
    return _APP_TABLES | {right.table: right.verb for right in brought}


@dataclass(frozen=True, slots=True)
class Role:
    """A role. ``name`` follows the prefix. ``settings`` are defaults of its sessions; 0 is no limit."""

    name: str
    about: str
    login: bool = True
    rights: tuple[Right, ...] = ()
    functions: tuple[str, ...] = ()
    settings: dict[str, str] = field(default_factory=dict)


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def _limits(statement: str, lock: str, idle: str) -> dict[str, str]:
    return {
        "statement_timeout": statement,
        "lock_timeout": lock,
        "idle_in_transaction_session_timeout": idle,
        "jit": "off",
    }


# PostgreSQL's own role that the console's page of sessions needs
WATCHES = "pg_read_all_stats"

OWNER = Role("owner", "owns all tables and functions; migrations run as one of its members", login=False)

# No limits but the lock's: each process sets its own, and a report reads one snapshot for long.
APP = Role("app", "web, workers, consumers and pipeline: what the product does, and no DDL", rights=(
    # not its number: one that is far ahead would end the numbers of all that come after
    Right("INSERT", "audit_log", _words("at actor action target operation_id reason detail")),
), settings=_limits("0", "60s", "0"))  # fmt: skip

_SENDING = ("queue_send", "queue_send_many", "queue_send_topic")
PRODUCER = Role("producer", "what all producers share", login=False, rights=(
    Right("INSERT", "message_queue", _words(
        "queue payload payload_raw headers priority max_retries next_retry_at dedupe_key group_key")),
), functions=_SENDING)  # fmt: skip
PRODUCER_SETTINGS = _limits("30s", "10s", "60s")

# what a consumer in SQL calls; each function runs with the owner's rights, and no table is touched
_CONSUMING = _words(
    "queue_claim queue_claimed queue_extend queue_complete queue_archive queue_release queue_put_back"
    " queue_fail queue_retry queue_give_up queue_pop queue_peek queue_metrics queue_set_due queue_delete"
    " queue_create queue_list queue_topic_bindings"
)
CONSUMER = Role(
    "consumer",
    "a consumer in SQL: claims and settles messages, reports failures",
    functions=(*_SENDING, *_CONSUMING, "dead_letter_report", "flood_gate"),
    # a session that waits for a message and whose program was killed must not claim it
    settings=_limits("90s", "10s", "60s") | {"client_connection_check_interval": "1s"},
)

_FAILURE = _words(
    "event_type payload payload_raw headers error_reason error_stacktrace error_category status retry_count"
    " retry_after source source_key same_id_as queue"
)
REPORTER = Role("reporter", "programs that report their failures, and touch no table", functions=(
    "dead_letter_report", "dead_letter_recovered", "flood_gate",
), settings=_limits("30s", "10s", "60s"))  # fmt: skip

PIPELINE = Role("pipeline", "Spark: ingest and reports, reads payloads", rights=(
    Right("INSERT", "dlq_events", _FAILURE),
    Right(READ, "dlq_events", _words(
        "id event_type source source_key payload payload_raw status error_class error_category group_id queue"
        " occurred_at created_at first_failure_at updated_at payload_version")),
    Right(READ, "dlq_attempts", _words("id dlq_event_id kind finished_at outcome")),
    Right(READ, "payload_versions", _words("dlq_event_id payload payload_raw")),
    Right(READ, "enriched_events", _words(
        "id event_type source source_key occurred_at record digest created_at")),
    # not their numbers: the ones that come next would be taken
    Right("INSERT", "enriched_events", _words("event_type source source_key occurred_at record digest")),
    Right("SELECT, INSERT, DELETE", "ingested_files"),
    Right("UPDATE", "ingested_files", _words("seen_at")),
    Right(READ, "pipeline_runs"),
    Right("INSERT", "pipeline_runs", _words("kind subject unit message pid host")),
    Right("UPDATE", "pipeline_runs", _words(
        "status subject unit pid host heartbeat_at finished_at total done counts message")),
    Right(READ, "reports"),
    Right("INSERT, UPDATE", "reports", _words(
        "name title keys metrics updated_at day_of timezone margin_seconds changes")),
    Right("SELECT, DELETE", "report_rows"),
    Right("INSERT", "report_rows", _words("report_id day key figures")),
    Right("SELECT, DELETE", "report_days"),
    Right("INSERT, UPDATE", "report_days", _words(
        "report_id day computed_at changes removed lines kept_at")),
    Right(READ, "event_hours_now"),
    # two functions write them, with the owner's rights and within bounds
    Right(READ, "breakers_now"),
    Right("SELECT, DELETE", "source_positions"),
    Right("INSERT, UPDATE", "source_positions", _words("log part position read_at")),
), functions=(
    "dead_letter_report", "dead_letter_named", "dead_letter_key", "dead_letter_failed_there",
    "breaker_noted", "breaker_probe", "report_day_marks",
), settings=_limits("0", "60s", "0"))  # fmt: skip

_TOLD = _words(
    "event_type payload error_reason error_stacktrace status retry_count retry_after created_at updated_at"
)
# its number alone is read: a mapper asks for it (INSERT … RETURNING id)
WRITER = Role("writer", "a service that stores its failures by INSERT, and reads none", rights=(
    Right("INSERT", "dlq_events", (*_FAILURE, "max_retries", "created_at", "updated_at")),
    Right(READ, "dlq_events", _words("id")),
), settings=_limits("30s", "10s", "60s"))  # fmt: skip

# All columns: SELECT * names them all. It may hold the rows of one batch while it handles them.
SCHEDULER = Role("scheduler", "a scheduler of yours: stores failures and retries them", rights=(
    Right("INSERT", "dlq_events", (*_FAILURE, "max_retries", "created_at", "updated_at")),
    Right(READ, "dlq_events"),
    # what a trigger does not let it change it may write as it was
    Right("UPDATE", "dlq_events", (*_TOLD, "error_category")),
    Right("SELECT, INSERT, UPDATE", "shedlock"),
), functions=("dead_letter_claim", "dead_letter_succeeded", "dead_letter_failed"),
    settings=_limits("30s", "10s", "15min"))  # fmt: skip

REVIVER = Role("reviver", "puts single dead letters back on their queues", functions=(
    "dead_letter_revive",
), settings=_limits("30s", "10s", "60s"))  # fmt: skip

_MESSAGE = "id queue priority retry_count dlq_event_id revive_seq owner created_at dequeued_time"
READER = Role("reader", "figures, states, and the names they are counted by; no other text", rights=(
    Right(READ, "message_queue", _words(
        f"{_MESSAGE} status phase turn max_retries next_retry_at lease_until crash_count unhandled_type")),
    Right(READ, "message_archive", _words(f"{_MESSAGE} archived_at keep_until")),
    Right(READ, "dlq_events", _words(
        "id event_type error_category error_class status retry_count max_retries retry_after source"
        " occurrences queue original_message_id same_id_as first_failure_at last_failure_at dead_lettered_at"
        " fingerprint_id group_id payload_version revive_count revived_at operation_id owner lease_until"
        " come_backs crash_count version created_at updated_at occurred_at")),
    Right(READ, "dlq_attempts", _words(
        "id dlq_event_id kind worker started_at finished_at outcome error_category reopened_from"
        " stands_for")),
    Right(READ, "failure_groups", _words(
        "id event_type error_category error_class created_at state state_changed_at snoozed_until")),
    Right(READ, "retry_runs", _words(
        "id started_at heartbeat_at finished_at trigger worker token late_seconds missed claimed succeeded"
        " revived failed exhausted lost ended_for more_due resume_at")),
    Right(READ, "retry_run_workers"),
    Right(READ, "retry_tickers"),
    Right(READ, "periodic_ticks"),
    Right(READ, "handler_limits"),
    Right(READ, "retry_policies", _words(
        "id event_type group_id enabled action max_retries backoff backoff_base_seconds"
        " backoff_cap_seconds window_days window_begins window_ends window_zone rate paused_at paused_until"
        " created_at updated_at version")),
    Right(READ, "pipeline_runs", _words(
        "id kind status asked_at started_at heartbeat_at finished_at exit_status total done unit counts")),
    Right(READ, "operations", _words(
        "id kind status scope queue group_id selected done skipped failed created_at started_at"
        " finished_at")),
    Right(READ, "breakers", _words(
        "key state since event_types only_again score rose_at again_score failures noted_at first_success_at"
        " next_probe_at probes successes held held_until")),
    Right(READ, "paces", _words(
        "operation_id event_type group_id rate floor ceiling baseline_seconds recent_seconds share slowed_at"
        " changed_at")),
    *(Right(READ, table) for table in _words(
        "queues queue_activity attached_queues dead_letter_counts dead_letter_hours dead_letter_totals"
        " dead_letter_trend dead_letter_transitions reports report_rows report_days")),
), settings=_limits("15s", "5s", "30s"))  # fmt: skip


def _with_features(role: Role) -> Role:
    """Add the rights on the tables and functions of features."""
    rights = (right for feature in features() for right in feature.rights.get(role.name, ()))
    functions = (name for feature in features() for name in feature.functions.get(role.name, ()))
    return replace(role, rights=(*role.rights, *rights), functions=(*role.functions, *functions))


# in the order in which they are made
ROLES = tuple(
    map(
        _with_features,
        (OWNER, APP, PRODUCER, CONSUMER, REPORTER, PIPELINE, WRITER, SCHEDULER, REVIVER, READER),
    )
)
