"""Bad rows in plain SQL: each is refused by the constraint that is named, or taken and harmless."""

import pytest
from django.db import Error, connection, transaction

BEYOND = ("infinity", "-infinity", "0044-03-15 BC", "9999-12-31 23:59:59-14", "12026-11-21")
MOMENTS = {
    "dlq_events": {
        "dlq_events_moments": (
            "retry_after", "created_at", "last_failure_at", "lease_until", "revived_at",
            "reclassified_at",
        )
    },
    "message_queue": {
        "message_queue_moments": ("next_retry_at", "created_at"),
        "moment_in_bounds": ("lease_until", "dequeued_time"),
    },
    "operations": {
        "moment_in_bounds": (
            "created_at", "started_at", "finished_at", "lease_until", "paced_until", "approved_at",
            "approve_until", "watch_until", "undo_until", "released_at",
        )
    },
    "failure_rules": {"moment_in_bounds": ("created_at", "updated_at")},
    "failure_groups": {"moment_in_bounds": ("created_at", "state_changed_at", "snoozed_until")},
}  # fmt: skip
# "": taken, and every page still answers
CHANGES = [
    ("dlq_events", "status = 'LOST'", "dead_letter_transitions"),
    ("dlq_events", "status = NULL", "status"),
    ("dlq_events", "error_category = 'BAD'", "dlq_events_category"),
    ("dlq_events", "retry_count = -1", "dlq_events_counts"),
    ("dlq_events", "occurrences = 0", "dlq_events_counts"),
    ("dlq_events", "revive_count = -1", "dlq_events_counts"),
    ("dlq_events", "headers = '[1]'", "dlq_events_headers_object"),
    ("dlq_events", "retry_count = 2147483648", "out of range"),
    ("dlq_events", "event_type = repeat('x', 256)", "too long"),
    ("dlq_events", "payload = '{'", "json"),
    ("dlq_events", "payload = '\"\\u0000\"'", "\\u0000"),
    ("dlq_events", "payload = NULL, payload_raw = NULL", ""),
    ("dlq_events", "event_type = ''", ""),
    ("dlq_events", "group_id = -1", "dlq_events_numbers"),
    ("dlq_events", "fingerprint_id = -1", "dlq_events_numbers"),
    ("dlq_events", "id = -1", "dlq_events_numbers"),
    ("dlq_events", "fingerprint_version = 0", "dlq_events_counts"),
    ("dlq_events", "id = 0, group_id = 0", ""),
    ("dlq_events", "max_retries = -2147483648", ""),
    ("dlq_events", "payload_version = 2147483647", "dlq_events_counts"),
    ("dlq_events", "occurrences = 2147483647", "dlq_events_counts"),
    ("dlq_events", "first_failure_at = 'infinity'", "first_failure_at never gets later"),
    ("dlq_events", "first_failure_at = '-infinity'", "dlq_events_moments"),
    ("dlq_events", "payload_version = 1000000000, version = 1000000000", ""),
    ("dlq_events", "category_rule_id = -1, operation_id = -1, group_key = ''", ""),
    ("dlq_events", "queue = '', source = '', source_key = ''", ""),
    ("dlq_events", "said_category = 'NONSENSE'", ""),
    ("dlq_events", "error_reason = E'\\x1b[31m\\u202e<script>', error_stacktrace = E'\\x01'", ""),
    ("message_queue", "status = 'lost'", "message_status_known"),
    ("message_queue", "queue = ''", "message_queue_named"),
    ("message_queue", "payload = NULL", "message_queue_has_payload"),
    ("message_queue", "priority = 32768", "out of range"),
    ("message_queue", "group_key = repeat('x', 256)", "too long"),
    ("message_queue", "headers = NULL", "headers"),
    ("message_queue", "headers = '[1]'", "message_queue_headers_object"),
    ("message_queue", "id = -1", "message_queue_numbers"),
    ("message_queue", "retry_count = -2147483648", "counter_in_bounds"),
    ("message_queue", "crash_count = -1", "small_counter_in_bounds"),
    ("message_queue", "lease_until = 'infinity'", "moment_in_bounds"),
    ("message_queue", "status = 'waiting'", "message_queue_waits_in_group"),
    ("message_queue", "retry_count = 1000000000, max_retries = -1", ""),
    ("message_queue", "priority = -32768, revive_seq = -1, dlq_event_id = -1", ""),
    ("message_queue", "queue = E'a\\nb/?#', owner = E'\\u202e', last_error = E'\\x1b'", ""),
    ("operations", "kind = 'Explode!'", "operations_kind"),
    ("operations", "status = 'lost'", "operations_status"),
    ("operations", "done = 1", "operations_counts"),
    ("operations", "request_key = 'x'", "uuid"),
    ("operations", "kind = NULL", "kind"),
    ("operations", "source_operation_id = 0", "operations_source_operation"),
    ("operations", "result = '[]', probes = '{}'", ""),
    ("operations", "scope = 'nothing', source_outcome = 'none'", ""),
    ("operations", "note = E'\\u202e', actor = '', reason = '<script>'", ""),
    ("failure_rules", "category = 'BAD'", "failure_rules_category"),
    ("failure_rules", "category = ''", "failure_rules_sets_something"),
    ("failure_rules", "error_class = ''", "failure_rules_matches_something"),
    ("failure_rules", "sqlstate = '4'", "failure_rules_sqlstate"),
    ("failure_rules", "http_status = 'many'", "failure_rules_http_status"),
    ("failure_rules", "fingerprint = '{what}'", "failure_rules_fingerprint"),
    ("failure_rules", "pattern = '('", "failure_rules_pattern"),
    ("failure_rules", "name = repeat('x', 201)", "too long"),
    ("failure_rules", "position = -2147483648, name = ''", ""),
    ("failure_rules", "version = -1, updated_by = E'\\u202e'", ""),
]  # fmt: skip
DOMAINS = ("message_status_known", "counter_in_bounds", "small_counter_in_bounds", "moment_in_bounds")
PAGES = (
    "/", "/dead-letters/", "/groups/", "/queues/", "/operations/", "/rules/", "/audit/", "/metrics",
    "/admin/dlq_engine/deadletter/", "/admin/dlq_engine/message/",
)  # fmt: skip


# a sound row of each table
SOUND = {
    "dlq_events": "(event_type, payload, error_reason) VALUES ('a.b', '{}', 'Refused: no')",
    "message_queue": "(queue, payload) VALUES ('orders', '{}')",
    "operations": (
        "(request_key, kind, actor, reason, scope, cutoff_id, expected, status)"
        " VALUES (gen_random_uuid(), 'retry', 'ann', 'a test', 'rows', 0, 0, 'completed')"
    ),
    "failure_rules": "(name, error_class, category) VALUES ('r', 'Late', 'BUSINESS')",
}
OWN_PAGES = {"dlq_events": "dead-letters", "operations": "operations", "failure_rules": "rules"}


@pytest.fixture
def rows(db):
    for table in SOUND:
        insert(table)


def insert(table):
    """Its id."""
    return run(f"INSERT INTO {table} {SOUND[table]} RETURNING id")


def run(statement):
    with connection.cursor() as cursor:
        cursor.execute(statement)
        found = cursor.fetchone()[0] if "RETURNING" in statement else None
        if "operations" in statement:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        return found


def refusal(statement):
    with pytest.raises(Error) as refused, transaction.atomic():
        run(statement)
    return str(refused.value)


@pytest.mark.parametrize("table", MOMENTS)
def test_a_moment_that_no_page_could_read_is_refused(rows, table):
    for constraint, columns in MOMENTS[table].items():
        for column in columns:
            for moment in BEYOND:
                said = refusal(f"UPDATE {table} SET {column} = '{moment}'")
                assert f'"{constraint}"' in said, (column, moment)
            run(f"UPDATE {table} SET {column} = '9000-01-01 00:00+00'")


def test_a_bad_value_is_refused_by_name(rows):
    for table, change, why in CHANGES:
        if why:
            assert why in refusal(f"UPDATE {table} SET {change}"), change


def test_a_strange_value_that_is_taken_does_no_harm(admin_user_client):
    """Each in a row of its own, and all of them before one look at every page."""
    changed = [(insert(table), table, change) for table, change, why in CHANGES if not why]
    changed = [
        (run(f"UPDATE {table} SET {change} WHERE id = {number} RETURNING id"), table, change)
        for number, table, change in changed
    ]
    for address in PAGES:
        assert admin_user_client.get(address).status_code == 200, address
    for number, table, change in changed:
        if table in OWN_PAGES:
            answer = admin_user_client.get(f"/{OWN_PAGES[table]}/{number}/")
            assert answer.status_code == 200, change


def test_a_refused_value_of_a_message_is_told_without_the_payload(rows):
    """Whoever makes a mistake may not read the row; and the server writes the error into its own log."""
    run("UPDATE message_queue SET payload = '{\"card\": 4111}'")
    assert "4111" in refusal("UPDATE message_queue SET id = -1"), "what breaks a CHECK is printed whole"
    changes = [change for table, change, why in CHANGES if table == "message_queue" and why in DOMAINS]
    assert len(changes) == len(DOMAINS)
    for change in changes:
        said = refusal(f"UPDATE message_queue SET {change}")
        assert "value for domain" in said
        assert "4111" not in said, change


@pytest.mark.parametrize("column", ["lease_until", "revived_at", "retry_after"])
def test_an_insert_is_held_to_the_same(db, column):
    said = refusal(f"INSERT INTO dlq_events (event_type, {column}) VALUES ('a.b', 'infinity')")
    assert "_moments" in said
