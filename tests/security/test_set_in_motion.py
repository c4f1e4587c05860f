"""Each right of each SQL role, as the catalog has it: what changes with it, and what begins by itself."""

import re
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest

from dlqconsole.celery import app as celery_app
from dlqconsole.pipeline.running.runs import Run
from dlqconsole.runs import starting
from tests.of_features import all_of, merged, of_features, with_features
from tests.security import set_in_motion
from tests.security.set_in_motion import FOLLOWS, ROLES, Answer
from tests.security.test_main_road import address

ANSWERS = set_in_motion.ANSWERS | merged("ANSWERS")
VALUES = set_in_motion.VALUES | merged("VALUES")
LINE = "rights of SQL roles, and what they set in motion"
PAGE = Path(__file__).parents[2] / "docs" / "security.md"
RIGHTS = """
    WITH ours AS (
        SELECT oid, relname, relkind FROM pg_class
        WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v', 'S')
    )
    SELECT c.relname, v.verb, string_agg(a.attname, ' ' ORDER BY a.attname)
    FROM ours c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    CROSS JOIN (VALUES ('INSERT'), ('UPDATE'), ('REFERENCES')) v (verb)
    WHERE c.relkind <> 'S' AND has_column_privilege(%(role)s, c.oid, a.attnum, v.verb)
    GROUP BY 1, 2
    UNION ALL
    SELECT c.relname, v.verb, ''
    FROM ours c CROSS JOIN (VALUES ('DELETE'), ('TRUNCATE'), ('TRIGGER')) v (verb)
    WHERE c.relkind <> 'S' AND has_table_privilege(%(role)s, c.oid, v.verb)
    UNION ALL
    SELECT c.relname, v.verb, '' FROM ours c CROSS JOIN (VALUES ('USAGE'), ('UPDATE')) v (verb)
    WHERE c.relkind = 'S' AND has_sequence_privilege(%(role)s, c.oid, v.verb)
    UNION ALL
    SELECT p.proname, 'EXECUTE', '' FROM pg_proc p
    WHERE p.pronamespace = 'public'::regnamespace AND has_function_privilege(%(role)s, p.oid, 'EXECUTE')
        AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
"""
TYPES = """
    SELECT a.attname, format_type(coalesce(nullif(t.typbasetype, 0), t.oid), NULL)
    FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid WHERE a.attrelid = %s::regclass AND a.attnum > 0
"""
# of this transaction, and of the last ones of the session that were not reported yet
WRITTEN = "SELECT relname, n_tup_ins + n_tup_upd + n_tup_del FROM pg_stat_xact_user_tables"
OF_A_TYPE = {
    "text": "'x'", "character varying": "'x'", "bytea": "'x'", "jsonb": "'{}'", "boolean": "true",
    "bigint": "1", "integer": "1", "smallint": "1", "uuid": "gen_random_uuid()",
    "timestamp with time zone": "now()", "timestamp without time zone": "now()", "date": "'2020-01-01'",
}  # fmt: skip
# one of each that something could move: runs that were asked for and are over, one that runs, a revival
WORLD = """
    INSERT INTO message_queue (queue, payload) VALUES ('orders', '1'), ('orders', '2');
    INSERT INTO dlq_events (event_type, payload, error_reason, error_category, queue, source, source_key)
        VALUES ('order.created', '1', 'no', 'BUSINESS', 'orders', 'shop', 'dl');
    SELECT dead_letter_revive(id) FROM dlq_events;
    INSERT INTO queue_topics (pattern, queue) VALUES ('mailed', 'mails'), ('order.created', 'orders');
    INSERT INTO dlq_events (event_type, payload, error_reason, error_category, queue, source, source_key)
        VALUES ('order.created', '1', 'no', 'BUSINESS', 'orders', 'shop', 'waiting');
    INSERT INTO shedlock (name, lock_until, locked_at, locked_by) VALUES ('dlq-retry', now(), now(), 'here');
    INSERT INTO pipeline_runs (kind, status, asked_by, asked_at, host, pid, lock_name, finished_at) VALUES
        ('archive', 'completed', 'user:1', now(), 'here', 7, 'archive', now()),
        ('ingest', 'failed', 'user:1', now(), 'here', 7, 'ingest', now());
    INSERT INTO pipeline_runs (kind, status, asked_by, asked_at, lock_name) VALUES
        ('report', 'running', 'schedule', now(), 'report');
    INSERT INTO pipeline_runs (kind) VALUES ('archive');
    INSERT INTO reports (name, title, keys, metrics) VALUES ('orders', 'Orders', '[]', '[]');
    INSERT INTO report_days (report_id, day) VALUES ('orders', '2020-01-01');
    INSERT INTO report_rows (report_id, day, key, figures) VALUES ('orders', '2020-01-01', '{}', '{}');
    INSERT INTO source_positions (log, part, position) VALUES ('t', 0, 1);
    INSERT INTO ingested_files (place, family, root, seen_as, known_as, inode, size, modified_ns, changed_ns,
        whole, start_byte, end_byte, end_line, digest, run_id)
        VALUES (gen_random_uuid(), gen_random_uuid(), '/', 'a', 'a', 1, 1, 1, 1, true, 0, 1, 1,
        gen_random_uuid(), 1);
"""


@pytest.fixture
def world(emptied):
    """With one of each that a right could move."""
    tables = (
        "source_positions, ingested_files, breakers, handler_reports, queue_sleepers, shedlock, queue_topics"
    )
    emptied.owner().execute(f"TRUNCATE {', '.join([tables, *all_of('WRITTEN')])}")
    emptied.owner().execute(WORLD)
    return emptied


def rights(roles, role) -> dict[tuple[str, str, str], str]:
    found = roles.owner().execute(RIGHTS, {"role": roles.prefix + role}).fetchall()
    return {(role, name, verb): columns for name, verb, columns in found}


@pytest.mark.parametrize("role", ROLES)
def test_each_right_has_an_answer(emptied, role):
    answered = {
        key: " ".join(sorted(each.columns.split())) for key, each in ANSWERS.items() if key[0] == role
    }
    assert rights(emptied, role) == answered


def attempts(roles, name: str, verb: str, answer: Answer) -> list[str]:
    """Statements that use a right: all columns at once, or one after the other with each value."""
    if answer.calls:
        return list(answer.calls)
    if verb == "DELETE":
        return [f"DELETE FROM {name}"]
    types = dict(roles.owner().execute(TYPES, [name]).fetchall())
    tried = {
        column: VALUES.get(f"{name}.{column}", (OF_A_TYPE[types[column]],))
        for column in answer.columns.split()
    }
    if verb == "UPDATE":
        sets = [f"{column} = {value}" for column in tried for value in tried[column]]
        sets.append(", ".join(f"{column} = {tried[column][0]}" for column in tried))
        return [f"UPDATE {name} SET {each} {rows}" for each in sets for rows in answer.rows]
    longest = max(map(len, tried.values()))
    return [
        f"INSERT INTO {name} ({', '.join(tried)}) VALUES ("
        + ", ".join(values[turn % len(values)] for values in tried.values())
        + ")"
        for turn in range(longest)
    ]


def used(link, statements) -> tuple[int, list[str]]:
    """The number of them that have an effect, and the tables that changed."""
    done, before = 0, set(link.execute(WRITTEN).fetchall())
    for statement in statements:
        with suppress(psycopg.IntegrityError, psycopg.DataError, psycopg.errors.InsufficientPrivilege):
            with link.transaction():
                link.execute(statement)
            done += 1
    changed = {name for name, _ in set(link.execute(WRITTEN).fetchall()) - before}
    return done, [re.sub(r"^message_archive_.*", "message_archive", name) for name in changed]


@pytest.mark.parametrize("key", ANSWERS, ids=" ".join)
def test_a_right_moves_what_its_answer_says(world, scorecard, key):
    """In one transaction, which counts whatever triggers and functions change, too."""
    role, name, verb = key
    link = world.connect(role)
    with link.transaction(force_rollback=True):
        done, changed = used(link, attempts(world, name, verb, ANSWERS[key]))
    broke = set(changed) - FOLLOWS - {name, *ANSWERS[key].moves.split()}
    scorecard(LINE, tried=1, broke=sorted(broke))
    assert done
    assert set(ANSWERS[key].moves.split()) <= set(changed)


BEGUN = """
    SELECT 'run ' || kind || ' ' || status FROM pipeline_runs WHERE asked_at IS NOT NULL
    UNION SELECT 'operation ' || kind FROM operations
    UNION SELECT 'audit ' || action FROM audit_log WHERE action !~ 'seal|verif' AND actor !~ '^sql:'
    UNION SELECT 'rule' FROM failure_rules
""" + "".join(f" UNION {made}" for made in of_features("BEGUN"))


@pytest.mark.parametrize("role", sorted({role for role, _name, _verb in ANSWERS}))
def test_the_product_begins_nothing_that_a_role_made_up(world, settings, tmp_path, scorecard, role):
    """All that a role may write is written and stays; then the beat's tasks run, and a starter looks."""
    settings.DLQ_ARCHIVE_DIR = tmp_path
    link = world.connect(role)
    before = {name for (name,) in world.owner().execute(BEGUN)}
    mine = [key for key in ANSWERS if key[0] == role]
    for key in mine:
        used(link, attempts(world, *key[1:], ANSWERS[key]))
    celery_app.loader.import_default_modules()
    with world.as_role("app"):
        for name in celery_app.conf.beat_schedule.values():
            celery_app.tasks[name["task"]].run()
        claimed = starting._claim()
    begun = {name for (name,) in world.owner().execute(BEGUN)} - before
    scorecard(LINE, tried=len(mine), broke=[*begun, claimed] if begun or claimed else [])


def test_the_pipelines_process_begins_beside_a_dead_run_that_was_asked_for(world):
    """It marks those of its own kind; what was asked for is left to the app."""
    world.owner().execute(
        "UPDATE pipeline_runs SET heartbeat_at = '2020-01-01', pid = 1 WHERE finished_at IS NULL"
    )
    dead = "SELECT kind, status FROM pipeline_runs WHERE heartbeat_at = '2020-01-01' ORDER BY kind"
    for role, of_the_app in (("pipeline", "running"), ("app", "failed")):
        run = Run.begin(address(role, world), "ingest", "a test")
        run.finish("completed", "done")
        run.close()
        assert world.owner().execute(dead).fetchall() == [("archive", "failed"), ("report", of_the_app)]


@with_features
def test_the_page_says_it_of_each_right():
    section = PAGE.read_text(encoding="utf-8").split("### What a role sets in motion")[1].split("\n#")[0]
    told = {
        (role, name)
        for roles, names in re.findall(r"^\| (`.+?) \| (`.+?) \| .+ \|$", section, re.MULTILINE)
        for role in re.findall(r"`dlq_(\w+)`", roles)
        for name in re.findall(r"`(\w+)`", names)
    }
    assert told == {
        ("producer_NAME" if role == "producer_shop" else role, name) for role, name, _verb in ANSWERS
    }
