"""The effects of each write or call that a SQL role may do: an answer to each right.

A right that is granted and has no answer here fails the test. ``dlq_app`` has one answer: it is the product.
"""

from dataclasses import dataclass

ROLES = ("producer_shop", "consumer", "reporter", "pipeline", "writer", "scheduler", "reviver", "reader")
# counts, groups and marks follow whatever is written; the answers speak of the rest
FOLLOWS = {"dead_letter_deltas", "dead_letter_unsearched", "event_changes", "failure_groups", "dlq_attempts"}


@dataclass(frozen=True)
class Answer:
    """``columns``: of the right. ``moves``: tables that change with it. ``calls``: what tries a function.

    ``rows``: which rows are tried one after the other, where some of them refuse.
    """

    columns: str = ""
    moves: str = ""
    calls: tuple[str, ...] = ()
    rows: tuple[str, ...] = ("",)


# what a value of a column is tried with, where one of its type is not enough
VALUES = {
    "message_queue.queue": ("'orders'",),
    "message_queue.payload_raw": ("NULL",),
    "message_queue.payload": ('\'{"do": "business"}\'',),
    "message_queue.status": ("'pending'", "'held'", "'processing'", "'scheduled'"),
    "message_queue.next_retry_at": ("now()", "now() + interval '1 day'"),
    "dlq_events.payload_raw": ("NULL",),
    "dlq_events.status": ("'PENDING'", "'EXHAUSTED'", "'QUARANTINED'"),
    "dlq_events.error_category": ("'TRANSIENT'",),
    "dlq_events.created_at": ("now()",),
    "shedlock.locked_at": ("now()",),
    "shedlock.locked_by": ("'mine'",),
    "shedlock.lock_until": ("now() + interval '1 hour'", "'2100-01-01'"),
    "dlq_events.event_type": ("'order.created'",),
    "dlq_events.queue": ("'orders'",),
    "dlq_events.same_id_as": ("NULL",),
    "pipeline_runs.kind": ("'archive'", "'ingest'", "'report'"),
    "pipeline_runs.status": (
        "'running'",
        "'asked'",
        "'cancelling'",
        "'failed'",
        "'completed'",
        "'cancelled'",
    ),
    "pipeline_runs.pid": ("NULL", "1"),
    "pipeline_runs.heartbeat_at": ("'2000-01-01'", "'2100-01-01'", "now()"),
    "pipeline_runs.finished_at": ("NULL", "now()"),
    "reports.name": ("'mine'",),
    "reports.timezone": ("'UTC'", "'Europe/Paris'", "'nowhere'"),
    "reports.day_of": ("'occurred_at'", "''", "'created_at'"),
    "reports.metrics": ('\'[["orders", "count"]]\'',),
    "reports.keys": ("'[]'",),
    "report_rows.report_id": ("'orders'",),
    "report_rows.day": ("'2020-02-02'",),
    "report_days.report_id": ("'orders'",),
    "report_days.day": ("'2020-02-02'",),
}

_QUEUE = "queue payload payload_raw headers priority max_retries next_retry_at dedupe_key group_key"
_FAILURE = (
    "event_type payload payload_raw headers error_reason error_stacktrace error_category status retry_count"
    " retry_after source source_key same_id_as queue"
)
_REPORT = (
    "SELECT dead_letter_report(event_type => 'order.created', payload => '1', error_reason => 'Mine: x',"
    " source => 'me', source_key => 'mine', report_id => gen_random_uuid())"
)
_NOTED = (
    "SELECT breaker_noted('type:order.created', 'order.created', 9, 9, 1, 9, 9, 0, 0, 9, 'mine', 1, 1, 0, 0)"
)
_GATE = "SELECT flood_gate('order.created', failed => 1)"

# what a claim and a failure write beside the message itself
_CLAIM = "message_queue handler_reports"
_SETTLE = f"{_CLAIM} queue_activity"
_WITH = "SELECT {} FROM queue_claim('orders', 3) c"
_CLAIMS = ("SELECT queue_claim('orders', 3)", "SELECT queue_claim('nowhere')")
_FAILED = (_WITH.format("queue_fail(c.id, c.token, 'Mine: x', 'PERMANENT')"),)
_CONSUMING: dict[str, tuple[str, tuple[str, ...]]] = {
    "queue_send": ("message_queue", ("SELECT queue_send('mails', '1')",)),
    "queue_send_many": ("message_queue", ("SELECT queue_send_many('mails', '[1, 2]')",)),
    "queue_send_topic": ("message_queue", ("SELECT queue_send_topic('mailed', '1')",)),
    "queue_claim": (
        f"{_CLAIM} queue_sleepers",
        _CLAIMS,
    ),
    "queue_extend": (_CLAIM, (_WITH.format("queue_extend(ARRAY[c.id], c.token, 1e6)"),)),
    "queue_complete": (f"{_SETTLE} dlq_events", (_WITH.format("queue_complete(ARRAY[c.id], c.token)"),)),
    "queue_archive": (
        f"{_SETTLE} dlq_events message_archive",
        (_WITH.format("queue_archive(ARRAY[c.id], c.token)"),),
    ),
    "queue_release": (_CLAIM, (_WITH.format("queue_release(ARRAY[c.id], c.token, 60)"),)),
    "queue_put_back": (_CLAIM, (_WITH.format("queue_put_back(ARRAY[c.id], c.token, 'x', 60)"),)),
    "queue_fail": (f"{_SETTLE} dlq_events", _FAILED),
    "queue_retry": (_SETTLE, (_WITH.format("queue_retry(c.id, c.token, 60, 'Mine: x')"),)),
    "queue_give_up": (f"{_SETTLE} dlq_events", (_WITH.format("queue_give_up(c.id, c.token, 'Mine: x')"),)),
    "queue_pop": ("message_queue dlq_events", ("SELECT queue_pop('orders', 3)",)),
    "queue_claimed": ("", ("SELECT queue_claimed(gen_random_uuid(), 1, 2)",)),
    "queue_peek": ("", ("SELECT queue_peek('orders')",)),
    "queue_metrics": ("", ("SELECT queue_metrics('orders')",)),
    "queue_set_due": (
        "message_queue audit_log",
        ("SELECT queue_set_due(p.id, now() + interval '1 day') FROM queue_peek('orders') p",),
    ),
    "queue_delete": (
        "message_queue audit_log dlq_events message_archive",
        (
            "SELECT queue_delete(ARRAY(SELECT id FROM queue_peek('orders', 1)), 'mine', archive => true)",
            "SELECT queue_delete(ARRAY(SELECT id FROM queue_peek('orders')), 'mine')",
        ),
    ),
    "queue_create": ("queues audit_log", ("SELECT queue_create('mine', unlogged => true)",)),
    "queue_list": ("", ("SELECT queue_list()",)),
    "queue_topic_bindings": ("", ("SELECT queue_topic_bindings('mailed')",)),
}
_STORED = f"{_FAILURE} max_retries created_at updated_at"
_DUE = (
    "INSERT INTO dlq_events (event_type, payload, error_category, retry_after)"
    " VALUES ('order.created', '2', 'TRANSIENT', '2020-01-01')",
    "SELECT dead_letter_claim('order.created')",
)

ANSWERS: dict[tuple[str, str, str], Answer] = {
    ("producer_shop", "message_queue", "INSERT"): Answer(_QUEUE),
    ("producer_shop", "queue_send", "EXECUTE"): Answer(
        moves="message_queue",
        calls=("SELECT queue_send('orders', '{\"do\": \"business\"}')",),
    ),
    ("producer_shop", "queue_send_many", "EXECUTE"): Answer(
        moves="message_queue", calls=("SELECT queue_send_many('orders', '[1, 2]')",)
    ),
    ("producer_shop", "queue_send_topic", "EXECUTE"): Answer(
        moves="message_queue", calls=("SELECT queue_send_topic('order.created', '1')",)
    ),
    **{
        ("consumer", name, "EXECUTE"): Answer(moves=moves, calls=calls)
        for name, (moves, calls) in _CONSUMING.items()
    },
    ("consumer", "dead_letter_report", "EXECUTE"): Answer(
        moves="dlq_events failure_reports", calls=(_REPORT,)
    ),
    ("consumer", "flood_gate", "EXECUTE"): Answer(moves="breakers", calls=(_GATE,)),
    ("reporter", "dead_letter_report", "EXECUTE"): Answer(
        moves="dlq_events failure_reports", calls=(_REPORT,)
    ),
    ("reporter", "dead_letter_recovered", "EXECUTE"): Answer(
        moves="dlq_events failure_reports",
        calls=(
            _REPORT,
            "SELECT dead_letter_recovered('me', 'mine')",
        ),
    ),
    ("reporter", "flood_gate", "EXECUTE"): Answer(moves="breakers", calls=(_GATE,)),
    ("pipeline", "dlq_events", "INSERT"): Answer(_FAILURE),
    ("pipeline", "enriched_events", "INSERT"): Answer(
        "event_type source source_key occurred_at record digest"
    ),
    ("pipeline", "ingested_files", "INSERT"): Answer(
        "id place family root seen_as known_as inode size modified_ns changed_ns whole start_byte end_byte"
        " end_line digest run_id seen_at created_at"
    ),
    ("pipeline", "ingested_files", "UPDATE"): Answer("seen_at"),
    ("pipeline", "ingested_files", "DELETE"): Answer(),
    ("pipeline", "pipeline_runs", "INSERT"): Answer("kind subject unit message pid host"),
    ("pipeline", "pipeline_runs", "UPDATE"): Answer(
        "status subject unit pid host heartbeat_at finished_at total done counts message",
        rows=("", "WHERE asked_at IS NULL"),
    ),
    ("pipeline", "reports", "INSERT"): Answer(
        "name title keys metrics updated_at day_of timezone margin_seconds changes"
    ),
    ("pipeline", "reports", "UPDATE"): Answer(
        "name title keys metrics updated_at day_of timezone margin_seconds changes"
    ),
    ("pipeline", "report_rows", "INSERT"): Answer("report_id day key figures"),
    ("pipeline", "report_rows", "DELETE"): Answer(),
    ("pipeline", "report_days", "INSERT"): Answer("report_id day computed_at changes removed lines kept_at"),
    ("pipeline", "report_days", "UPDATE"): Answer("report_id day computed_at changes removed lines kept_at"),
    ("pipeline", "report_days", "DELETE"): Answer(),
    ("pipeline", "source_positions", "INSERT"): Answer("log part position read_at"),
    ("pipeline", "source_positions", "UPDATE"): Answer("log part position read_at"),
    ("pipeline", "source_positions", "DELETE"): Answer(),
    ("pipeline", "dead_letter_report", "EXECUTE"): Answer(
        moves="dlq_events failure_reports", calls=(_REPORT,)
    ),
    ("pipeline", "dead_letter_named", "EXECUTE"): Answer(
        calls=("SELECT dead_letter_named('a', 'b', '1', NULL)",)
    ),
    ("pipeline", "dead_letter_key", "EXECUTE"): Answer(calls=("SELECT dead_letter_key('b', '1', NULL)",)),
    ("pipeline", "dead_letter_failed_there", "EXECUTE"): Answer(
        moves="dlq_events",
        calls=(
            "SELECT dead_letter_failed_there('kafka:t', id, 1, 'a', 'b', '1', NULL, 'Mine: x', 'TRANSIENT',"
            " '') FROM dlq_events",
        ),
    ),
    ("pipeline", "breaker_noted", "EXECUTE"): Answer(
        moves="breakers",
        calls=(_NOTED,),
    ),
    ("pipeline", "breaker_probe", "EXECUTE"): Answer(
        moves="breakers",
        calls=(
            _NOTED,
            "SELECT breaker_probe('{type:order.created}', 0, 1)",
        ),
    ),
    ("pipeline", "report_day_marks", "EXECUTE"): Answer(
        calls=("SELECT report_day_marks('orders', NULL, NULL)",)
    ),
    ("writer", "dlq_events", "INSERT"): Answer(_STORED),
    ("scheduler", "dlq_events", "INSERT"): Answer(_STORED),
    ("scheduler", "dlq_events", "UPDATE"): Answer(
        "event_type payload error_reason error_stacktrace error_category status retry_count retry_after"
        " created_at updated_at",
        rows=("WHERE status = 'PENDING'",),
    ),
    ("scheduler", "shedlock", "INSERT"): Answer("name lock_until locked_at locked_by", moves="lock_tokens"),
    ("scheduler", "shedlock", "UPDATE"): Answer("name lock_until locked_at locked_by", moves="lock_tokens"),
    ("scheduler", "dead_letter_claim", "EXECUTE"): Answer(moves="dlq_events", calls=_DUE),
    ("scheduler", "dead_letter_succeeded", "EXECUTE"): Answer(
        moves="dlq_events",
        calls=(*_DUE, "SELECT dead_letter_succeeded(id, lease_token) FROM dlq_events"),
    ),
    ("scheduler", "dead_letter_failed", "EXECUTE"): Answer(
        moves="dlq_events breakers",
        calls=(
            *_DUE,
            "SELECT dead_letter_failed(id, lease_token, 'no', error_category => 'TRANSIENT') FROM dlq_events",
        ),
    ),
    ("reviver", "dead_letter_revive", "EXECUTE"): Answer(
        moves="dlq_events message_queue audit_log",
        # it reads no number
        calls=("SELECT dead_letter_revive(n) FROM generate_series(1, 3000) n",),
    ),
}
# PUBLIC's: an index of dlq_events computes it for whoever inserts, and it knows only what it is given
ANSWERS |= {
    (role, "dead_letter_ids", "EXECUTE"): Answer(calls=("SELECT dead_letter_ids('1', 1, '{}')",))
    for role in ROLES
}
