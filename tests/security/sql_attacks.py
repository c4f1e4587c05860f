"""The attacks of each role, statement by statement, and the SQLSTATE with which the database refuses them."""

from dataclasses import dataclass

from tests.of_features import of_features

PRIVILEGE = "42501"
CHECK = "23514"


@dataclass(frozen=True)
class Attack:
    """``setup`` runs before it as the same role and must succeed; both are rolled back."""

    role: str
    statement: str
    refusal: str = PRIVILEGE
    setup: str = ""


def _all(role: str, refusal: str, text: str) -> list[Attack]:
    return [Attack(role, " ".join(one.split()), refusal) for one in text.strip().split(";\n")]


TO_ANOTHER = "INSERT INTO public.message_queue (queue, payload) VALUES ('billing', '1')"
BORN = "INSERT INTO dlq_events (event_type, payload, {}) VALUES ('x', '1', {})"

PRODUCER = [
    *_all("producer_shop", PRIVILEGE, """
        INSERT INTO message_queue (queue, payload) VALUES ('billing', '1');
        INSERT INTO message_queue (queue, payload) VALUES ('orders', '1'), ('billing', '1');
        INSERT INTO message_queue (queue, payload) SELECT 'q' || n, '1' FROM generate_series(1, 9)
            n;
        INSERT INTO message_queue (queue, payload, status, group_key) VALUES ('orders', '1',
            'waiting', 'k');
        INSERT INTO message_queue (queue, payload, status) VALUES ('orders', '1', 'waiting');
        INSERT INTO message_queue (queue, payload, status) VALUES ('orders', '1', 'held');
        INSERT INTO message_queue (queue, payload, status) VALUES ('orders', '1', 'processing');
        INSERT INTO message_queue (queue, payload, dlq_event_id, revive_seq) VALUES ('orders', '1',
            1, 1);
        INSERT INTO message_queue (queue, payload, dlq_event_id) VALUES ('orders', '1', 1);
        INSERT INTO message_queue (queue, payload, revive_seq) VALUES ('orders', '1', 1);
        INSERT INTO message_queue (id, queue, payload) VALUES (9223372036854775807, 'orders', '1');
        INSERT INTO message_queue (queue, payload, retry_count) VALUES ('orders', '1', 1000000);
        INSERT INTO message_queue (queue, payload, crash_count) VALUES ('orders', '1', 3);
        INSERT INTO message_queue (queue, payload, owner) VALUES ('orders', '1', 'me');
        INSERT INTO message_queue (queue, payload, lease_token) VALUES ('orders', '1',
            gen_random_uuid());
        INSERT INTO message_queue (queue, payload, lease_until) VALUES ('orders', '1',
            '9000-01-01');
        INSERT INTO message_queue (queue, payload, dequeued_time) VALUES ('orders', '1',
            '9000-01-01');
        INSERT INTO message_queue (queue, payload, group_in_flight) VALUES ('orders', '1',
            'customer-7');
        INSERT INTO message_queue (queue, payload, unhandled_type) VALUES ('orders', '1', 'x');
        INSERT INTO message_queue (queue, payload, last_error) VALUES ('orders', '1', 'x');
        INSERT INTO message_queue (queue, payload, created_at) VALUES ('orders', '1', '2000-01-01');
        INSERT INTO message_queue (queue, payload) VALUES ('orders', '1') RETURNING payload;
        INSERT INTO message_queue (queue, payload) VALUES ('orders', '1') ON CONFLICT (id) DO UPDATE
            SET queue = 'x';
        INSERT INTO message_queue_unlogged (queue, payload) VALUES ('orders', '1');
        SELECT payload FROM message_queue;
        SELECT count(*) FROM message_queue;
        COPY message_queue TO STDOUT;
        UPDATE message_queue SET status = 'held';
        DELETE FROM message_queue;
        TRUNCATE message_queue;
        LOCK TABLE message_queue IN ACCESS EXCLUSIVE MODE;
        INSERT INTO dlq_events (event_type, payload) VALUES ('order.created', '1');
        INSERT INTO dlq_attempts (dlq_event_id, kind, outcome) VALUES (1, 'retry', 'succeeded');
        INSERT INTO audit_log (actor, action, target) VALUES ('user:ann', 'approve', 'operation:1');
        INSERT INTO failure_groups (id, event_type, error_category, error_class, message) VALUES (1,
            'x', 'x', 'x', 'x');
        INSERT INTO dead_letter_deltas VALUES (now(), 1, 'x', 'x', 'x', 'x', -100, -100);
        INSERT INTO producer_queues SELECT current_user, 'billing';
        UPDATE producer_queues SET queue = 'billing';
        DELETE FROM producer_queues;
        UPDATE queues SET paused = true;
        INSERT INTO queues (name, paused) VALUES ('orders', true);
        INSERT INTO queue_sleepers VALUES ('orders', 'x', '9000-01-01');
        SELECT nextval('message_queue_id_seq');
        SELECT setval('message_queue_id_seq', 1);
        CREATE TABLE public.mine (id integer);
        CREATE SCHEMA evil;
        CREATE FUNCTION public.lower(text) RETURNS text LANGUAGE sql AS 'SELECT $1';
        CREATE OR REPLACE FUNCTION public.message_queue_added() RETURNS trigger LANGUAGE plpgsql
            AS 'BEGIN END';
        CREATE VIEW pg_temp.all_of_it AS SELECT * FROM message_queue; SELECT * FROM
            pg_temp.all_of_it;
        CREATE TEMP TABLE mine () INHERITS (public.message_queue);
        CREATE TRIGGER mine BEFORE INSERT ON message_queue EXECUTE FUNCTION
            suppress_redundant_updates_trigger();
        CREATE RULE mine AS ON INSERT TO message_queue DO ALSO NOTHING;
        CREATE POLICY mine ON message_queue;
        CREATE INDEX ON message_queue (payload);
        ALTER TABLE message_queue DISABLE TRIGGER message_queue_added;
        ALTER TABLE message_queue OWNER TO CURRENT_USER;
        DROP TABLE message_queue;
        DROP FUNCTION message_queue_added();
        COMMENT ON TABLE message_queue IS 'mine';
        GRANT INSERT ON message_queue TO PUBLIC;
        SET session_replication_role = replica;
        SET LOCAL ROLE {owner};
        SET LOCAL ROLE {app};
        SET SESSION AUTHORIZATION {app};
        ALTER ROLE CURRENT_USER SUPERUSER;
        ALTER ROLE {app} PASSWORD 'mine';
        CREATE ROLE mine;
        GRANT {app} TO CURRENT_USER;
        ALTER ROLE {app} SET statement_timeout = 1;
        COPY message_queue (queue, payload) FROM '/etc/passwd';
        COPY message_queue (queue, payload) FROM PROGRAM 'id';
        SELECT pg_read_file('/etc/passwd');
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename <> current_user AND
            datname = current_database();
        DO $$ BEGIN INSERT INTO message_queue (queue, payload) VALUES ('billing', '1'); END $$;
        WITH sent AS (INSERT INTO message_queue (queue, payload) VALUES ('billing', '1')) SELECT 1;
        SELECT queue_send('billing', '1');
        SELECT queue_send_many('billing', '[1, 2]');
        SELECT queue_claim('orders');
        SELECT queue_peek('orders');
        SELECT queue_metrics('orders');
        SELECT queue_pop('orders');
        SELECT queue_delete('{{1}}');
        SELECT queue_set_due(1, now());
        SELECT queue_create('mine');
        SELECT queue_bind('#', 'orders');
        SELECT queue_topic_bindings();
        SELECT pattern FROM queue_topics;
    """),
    Attack("producer_shop", TO_ANOTHER, setup=(
        "SET LOCAL search_path = pg_temp, public;"
        " CREATE TEMP TABLE producer_queues (role_name name, queue varchar);"
        " INSERT INTO pg_temp.producer_queues VALUES (current_user, 'billing')")),
    Attack("producer_shop", TO_ANOTHER, setup=(
        "CREATE FUNCTION pg_temp.varchareq(varchar, varchar) RETURNS boolean LANGUAGE sql AS 'SELECT true';"
        " CREATE OPERATOR pg_temp.= (LEFTARG = varchar, RIGHTARG = varchar, FUNCTION = pg_temp.varchareq);"
        " SET LOCAL search_path = pg_temp, pg_catalog, public")),
]  # fmt: skip

CONSUMER = [
    *_all("consumer", PRIVILEGE, """
        INSERT INTO message_queue (queue, payload) VALUES ('orders', '1');
        SELECT id FROM message_queue;
        SELECT name FROM queues;
        UPDATE message_queue SET status = 'held';
        UPDATE message_queue SET lease_until = '9000-01-01';
        UPDATE message_queue SET crash_count = 0;
        DELETE FROM message_queue;
        TRUNCATE message_queue;
        LOCK TABLE message_queue IN ACCESS EXCLUSIVE MODE;
        SELECT status FROM dlq_events;
        UPDATE dlq_events SET status = 'SUCCEEDED';
        DELETE FROM dlq_events;
        INSERT INTO dlq_events (event_type, payload) VALUES ('order.created', '1');
        INSERT INTO queue_sleepers VALUES ('orders', 'x', '9000-01-01');
        UPDATE queue_tokens SET tokens = 1000000;
        INSERT INTO queue_activity (queue, minute, completed) VALUES ('orders', now(), 1000000);
        INSERT INTO handler_reports VALUES ('x', 'worker', '{{}}', '{{order.created}}', '{{}}', '{{}}');
        INSERT INTO producer_queues SELECT current_user, 'orders';
        SELECT queue_send('orders', '1');
        SELECT queue_send_many('orders', '[1, 2]');
        SELECT queue_purge('orders', 'mine');
        SELECT queue_drop('orders', 'mine');
        SELECT queue_forget('orders');
        SELECT queue_bind('#', 'orders');
        SELECT queue_unbind('#.mailed', 'mails');
        SELECT topic_set('#', 'orders', true, 'user:1', 'mine');
        INSERT INTO queue_topics (pattern, queue) VALUES ('#', 'orders');
        SELECT queue_take('orders', 1, 60, 'me');
        SELECT queue_policy('orders');
        SELECT queue_stage('orders');
        SELECT queue_tokens_take('orders', 1, 1);
        SELECT queue_tokens_return('orders', 1000000);
        SELECT queue_note_consumer('orders', 'a worker of ours');
        SELECT queue_note_outcomes('orders', 'a consumer of ours', 1000000);
        SELECT queue_call_forgotten('orders');
        SELECT message_remove('{{1}}', NULL, false);
        SELECT message_heal('{{1}}', NULL);
        SELECT message_fail(1, NULL, 'x', step => ROW('SUCCEEDED', 0)::failure_step);
        SELECT message_quarantine(1, NULL);
        SELECT dead_letter_add(NULL);
        SELECT dead_letter_revive(1);
        SELECT reclassify_dead_letters(ARRAY[1]::bigint[], 'BUSINESS');
        SELECT dead_letter_settle_removed(ARRAY[1]::bigint[], '{{1}}', '{{x}}', '{{x}}', '{{now}}');
        SELECT message_queue_call_next('{{orders}}', '{{k}}');
        SELECT dead_letter_ahead('orders', 'k', 1);
        SELECT revived_message_id('orders', 'k', 'orders', 1);
        SELECT message_archive_drop();
        UPDATE queues SET paused = true;
        INSERT INTO audit_log (actor, action, target) VALUES ('user:ann', 'approve', 'operation:1');
        SELECT * FROM audit_log;
        SELECT * FROM auth_user;
        SELECT * FROM message_archive;
        SELECT session_key FROM django_session;
    """),
    # a path of his own leads the functions to no table of his own
    Attack("consumer", "SELECT public.queue_send('orders', '1')", setup=(
        "SET LOCAL search_path = pg_temp, public;"
        " CREATE TEMP TABLE producer_queues (role_name name, queue varchar);"
        " INSERT INTO pg_temp.producer_queues VALUES (current_user, 'orders')")),
    Attack("consumer", "SELECT queue_claim('orders', lease_seconds => 'Infinity')", "22008"),
]  # fmt: skip

REPORTER = [
    *_all("reporter", PRIVILEGE, """
        SELECT payload FROM dlq_events;
        SELECT id FROM dlq_events;
        SELECT payload FROM message_queue;
        SELECT record FROM enriched_events;
        SELECT payload FROM payload_versions;
        SELECT key FROM event_effects;
        INSERT INTO dlq_events (event_type, payload) VALUES ('x', '1');
        UPDATE dlq_events SET payload = '1';
        SELECT queue_send('orders', '1');
        SELECT queue_peek('orders');
        SELECT event_result('shop', 'dl');
        SELECT dead_letter_revive(1)
    """),
]  # fmt: skip

PIPELINE = [
    *(Attack("pipeline", BORN.format("status", repr(status)), CHECK)
      for status in ("REVIVED", "SUCCEEDED", "DISCARDED", "RETRYING", "MINE")),
    *(Attack("pipeline", BORN.format(column, value))
      for column, value in {
          "id": "1", "group_id": "1", "fingerprint_id": "1", "version": "7", "revive_count": "9",
          "revived_at": "'9000-01-01'", "revived_from": "'PENDING'", "lease_until": "'9000-01-01'",
          "lease_token": "gen_random_uuid()", "owner": "'me'", "created_at": "'2000-01-01'",
          "occurrences": "1000000",
          "dead_lettered_at": "'2000-01-01'", "category_rule_id": "1", "said_category": "'BUSINESS'",
          "operation_id": "1", "crash_count": "3", "payload_version": "2", "reclassified_at": "now()",
          "max_retries": "0", "original_message_id": "1",
      }.items()),
    *_all("pipeline", PRIVILEGE, """
        INSERT INTO enriched_events (id, event_type, source, source_key, record)
            VALUES (9223372036854775807, 'x', 's', 'k', '1');
        UPDATE dlq_events SET status = 'SUCCEEDED';
        UPDATE dlq_events SET payload = '1';
        DELETE FROM dlq_events;
        WITH gone AS (DELETE FROM dlq_events RETURNING event_type) INSERT INTO dlq_events
            (event_type) SELECT * FROM gone;
        TRUNCATE dlq_events;
        SELECT error_reason FROM dlq_events;
        INSERT INTO dlq_events (event_type, payload, source, source_key) VALUES ('x', '1', 'shop',
            'dl') ON CONFLICT (source, source_key) DO UPDATE SET status = 'SUCCEEDED';
        SELECT dead_letter_keep_failure(NULL);
        SELECT dead_letter_elsewhere('shop', 'dl');
        SELECT dead_letter_return_lost('{{1}}', '{{x}}', '{{x}}', 'x');
        SELECT dead_letter_revive(1);
        INSERT INTO dead_letter_deltas VALUES (now(), 1, 'x', 'x', 'x', 'x', -100, -100);
        DELETE FROM dead_letter_counts;
        UPDATE failure_groups SET state = 'resolved';
        INSERT INTO group_merges (fingerprint_id, group_id, actor, reason) VALUES (1, 2, 'x', 'x');
        INSERT INTO failure_rules (name, error_class, category) VALUES ('x', 'x', 'BUSINESS');
        INSERT INTO dlq_attempts (dlq_event_id, kind, outcome) VALUES (1, 'retry', 'succeeded');
        INSERT INTO payload_versions (dlq_event_id, number, payload) VALUES (1, 1, '1');
        INSERT INTO audit_log (actor, action, target) VALUES ('user:ann', 'approve', 'operation:1');
        UPDATE enriched_events SET record = '{{}}';
        DELETE FROM enriched_events;
        UPDATE report_rows SET figures = '{{}}';
        DELETE FROM reports;
        DELETE FROM pipeline_runs;
        SELECT * FROM message_queue;
        INSERT INTO message_queue (queue, payload) VALUES ('orders', '1');
        UPDATE operations SET approval = 'given';
        INSERT INTO breakers (key) VALUES ('type:x');
        UPDATE breakers SET state = 'open', next_probe_at = now(), reason = 'held by user:3';
        UPDATE breakers SET held = 'open', held_until = '9000-01-01';
        DELETE FROM breakers;
        TRUNCATE breakers;
        SELECT breaker_pause(0, 1, 1);
    """),
]  # fmt: skip

WRITER = _all(
    "writer",
    PRIVILEGE,
    """
        SELECT * FROM dlq_events;
        SELECT payload FROM dlq_events;
        SELECT status FROM dlq_events;
        INSERT INTO dlq_events (event_type, payload) VALUES ('x', '1') RETURNING payload;
        INSERT INTO dlq_events (event_type, payload, source, source_key) VALUES ('x', '1', 'shop',
            'dl') ON CONFLICT (source, source_key) DO UPDATE SET status = 'PENDING';
        INSERT INTO dlq_events (id, event_type, payload) VALUES (9223372036854775807, 'x', '1');
        INSERT INTO dlq_events (event_type, payload, occurrences) VALUES ('x', '1', 7);
        UPDATE dlq_events SET status = 'SUCCEEDED';
        DELETE FROM dlq_events;
        SELECT dead_letter_claim('order.created');
        SELECT dead_letter_revive(1);
        SELECT dead_letter_report('x', '1', 'x');
        SELECT * FROM dlq_attempts;
        INSERT INTO message_queue (queue, payload) VALUES ('orders', '1');
        INSERT INTO shedlock VALUES ('x', now(), now(), 'x');
    """,
)

SCHEDULER = [
    *_all("scheduler", PRIVILEGE, """
        UPDATE dlq_events SET lease_token = gen_random_uuid();
        UPDATE dlq_events SET lease_until = '9000-01-01';
        UPDATE dlq_events SET owner = 'me';
        UPDATE dlq_events SET occurrences = 1;
        UPDATE dlq_events SET last_failure_at = now();
        UPDATE dlq_events SET reclassified_at = now();
        UPDATE dlq_events SET headers = '{{}}';
        UPDATE dlq_events SET payload_raw = '';
        UPDATE dlq_events SET max_retries = 1000000;
        UPDATE dlq_events SET group_id = 1;
        DELETE FROM dlq_events;
        TRUNCATE dlq_events;
        SELECT dead_letters_claim('[]', 'me', '{{}}', 5);
        SELECT dead_letters_succeed('{{1}}', '{{}}', '{{}}', 'schedule');
        SELECT dead_letter_revive(1);
        SELECT dead_letter_report('x', '1', 'x');
        SELECT breaker_hear('order.created', 'away', 'x');
        SELECT retry_lanes('order.created');
        SELECT * FROM dlq_attempts;
        SELECT * FROM payload_versions;
        SELECT * FROM enriched_events;
        SELECT * FROM message_queue;
        SELECT * FROM audit_log;
        SELECT * FROM retry_policies;
        INSERT INTO retry_policies (paused_at) VALUES (now());
        UPDATE retry_settings SET max_retries = 1000000;
        DELETE FROM shedlock;
        UPDATE lock_tokens SET token = 1;
        INSERT INTO audit_log (actor, action, target) VALUES ('user:ann', 'approve', 'operation:1');
    """),
    *_all("scheduler", CHECK, """
        UPDATE dlq_events SET status = 'RETRYING';
        UPDATE dlq_events SET status = 'REVIVED';
        UPDATE dlq_events SET status = 'DISCARDED';
        UPDATE dlq_events SET status = 'QUARANTINED';
        UPDATE dlq_events SET payload = '1';
        UPDATE dlq_events SET event_type = 'mine';
        UPDATE dlq_events SET retry_count = retry_count - 1;
        INSERT INTO dlq_events (event_type, payload, status) VALUES ('x', '1', 'SUCCEEDED')
    """),
]  # fmt: skip

REVIVER = _all(
    "reviver",
    PRIVILEGE,
    """
        SELECT id FROM dlq_events;
        SELECT * FROM message_queue;
        INSERT INTO message_queue (queue, payload) VALUES ('orders', '1');
        UPDATE dlq_events SET status = 'REVIVED';
        SELECT dead_letter_claim('order.created');
        SELECT revive_headers('{{}}', 'x', 'x', 'x', '1');
        SELECT * FROM audit_log
    """,
)

READER = _all(
    "reader",
    PRIVILEGE,
    """
        SELECT * FROM dlq_events;
        SELECT d FROM dlq_events d;
        SELECT to_jsonb(d) FROM dlq_events d;
        SELECT payload FROM dlq_events;
        SELECT payload_raw FROM dlq_events;
        SELECT headers FROM dlq_events;
        SELECT error_reason FROM dlq_events;
        SELECT error_stacktrace FROM dlq_events;
        SELECT source_key FROM dlq_events;
        SELECT group_key FROM dlq_events;
        SELECT id FROM dlq_events WHERE payload ->> 'email' LIKE 'a%%';
        SELECT id FROM dlq_events ORDER BY error_reason;
        SELECT payload FROM message_queue;
        SELECT headers FROM message_queue;
        SELECT last_error FROM message_queue;
        SELECT lease_token FROM message_queue;
        SELECT dedupe_key FROM message_queue;
        SELECT group_key FROM message_queue;
        SELECT payload FROM message_archive;
        SELECT * FROM message_archive_unplaced;
        SELECT error_reason FROM dlq_attempts;
        SELECT * FROM payload_versions;
        SELECT record FROM enriched_events;
        SELECT message FROM failure_groups;
        SELECT note FROM failure_groups;
        SELECT reason FROM operations;
        SELECT filter FROM operations;
        SELECT * FROM audit_log;
        SELECT * FROM auth_user;
        SELECT * FROM django_session;
        SELECT * FROM producer_queues;
        SELECT stavalues1 FROM pg_statistic;
        COPY dlq_events (id, payload) TO STDOUT;
        UPDATE report_rows SET figures = '{{}}';
        INSERT INTO queues (name) VALUES ('mine');
        DELETE FROM report_rows;
        SELECT id FROM dlq_events FOR UPDATE;
        SELECT dead_letter_report('x', '1', 'x');
        SET LOCAL ROLE {consumer};
    """,
)

APP = [
    *_all("app", PRIVILEGE, """
        INSERT INTO audit_log (id, actor, action, target)
            VALUES (9223372036854775807, 'user:1', 'x', 'y');
        INSERT INTO role_grants (user_id, role, since) VALUES (7, 'admin', '2020-01-01');
        UPDATE role_grants SET since = '2020-01-01';
        DELETE FROM role_grants;
        UPDATE account_names SET name = 'somebody';
        DELETE FROM personal_tokens;
        UPDATE audit_log SET actor = 'mine';
        DELETE FROM audit_log;
        TRUNCATE audit_log;
        TRUNCATE dlq_events;
        TRUNCATE message_queue;
        ALTER TABLE audit_log DISABLE TRIGGER ALL;
        DROP TRIGGER audit_log_refuse ON audit_log;
        ALTER TABLE dlq_events DROP CONSTRAINT dlq_events_source;
        CREATE TABLE public.mine (id integer);
        CREATE TEMP TABLE mine () INHERITS (public.message_queue);
        CREATE TRIGGER mine BEFORE INSERT ON audit_log EXECUTE FUNCTION
            suppress_redundant_updates_trigger();
        CREATE OR REPLACE VIEW dead_letter_transitions AS SELECT '' AS from_status;
        CREATE OR REPLACE FUNCTION public.audit_log_refuse() RETURNS trigger LANGUAGE plpgsql AS
            'BEGIN END';
        DROP TABLE message_archive_unplaced;
        SET session_replication_role = replica;
        SET LOCAL ROLE {owner};
        SET LOCAL ROLE {producer_shop};
        ALTER ROLE CURRENT_USER SUPERUSER;
        INSERT INTO producer_queues SELECT current_user, 'billing';
        DELETE FROM django_migrations;
        INSERT INTO auth_permission (name, content_type_id, codename) VALUES ('x', 1, 'x');
        GRANT EXECUTE ON FUNCTION dlq_events_emptied() TO PUBLIC;
        ALTER FUNCTION dlq_events_emptied() SECURITY INVOKER;
        COPY audit_log TO PROGRAM 'id';
    """),
    *(each for attacks in of_features("ATTACKS") for each in _all("app", PRIVILEGE, attacks)),
    *_all("app", CHECK, """
        INSERT INTO dlq_events (event_type, payload, status) VALUES ('x', '1', 'SUCCEEDED');
        INSERT INTO dlq_events (event_type, payload, status, revive_count) VALUES ('x', '1',
            'REVIVED', 1);
        UPDATE dlq_events SET revived_at = '9000-01-01';
        UPDATE dlq_events SET lease_until = '9000-01-01';
        UPDATE dlq_events SET dead_lettered_at = now();
        UPDATE message_queue SET status = 'waiting' WHERE group_key IS NULL;
        INSERT INTO message_queue (queue, payload, status) VALUES ('orders', '1', 'waiting');
        INSERT INTO breakers (key, state, next_probe_at) VALUES ('type:x', 'open', '9998-01-01');
        INSERT INTO breakers (key, since) VALUES ('type:x', now() + interval '2 hours');
    """),
]  # fmt: skip

ATTACKS = [*PRODUCER, *CONSUMER, *REPORTER, *PIPELINE, *WRITER, *SCHEDULER, *REVIVER, *READER, *APP]
