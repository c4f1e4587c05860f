"""manage.py grants: what it prints can be run again and again; who has more than it needs is told so."""

import re

import psycopg
import pytest
from django.core.management import CommandError, call_command
from psycopg.sql import SQL, Identifier, Literal

from dlqconsole.engine.grants import excess, rights
from dlqconsole.engine.grants.objects import Names
from tests.plain_sql import rows

PASSWORD = "what nobody may read"
FUNCTIONS = """
SELECT p.proname, pg_get_functiondef(p.oid),
    p.proacl IS NULL OR has_function_privilege('public', p.oid, 'EXECUTE')
FROM pg_proc p
WHERE p.pronamespace = current_schema()::regnamespace
    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
"""
COLUMNS = """
SELECT c.relname, a.attname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
WHERE c.relnamespace = current_schema()::regnamespace AND a.attnum > 0 AND NOT a.attisdropped
"""


def privileges(roles):
    """All that is granted in the database, in one order."""
    return (
        roles.owner()
        .execute(
            "SELECT kind, name, array(SELECT a::text FROM unnest(acl) a ORDER BY 1) FROM ("
            " SELECT 'table', relname, relacl FROM pg_class WHERE relnamespace = 'public'::regnamespace"
            " UNION ALL SELECT 'column', attrelid::regclass || '.' || attname, attacl FROM pg_attribute"
            "   WHERE attacl IS NOT NULL AND attrelid > 16384"
            " UNION ALL SELECT 'function', oid::regprocedure::text, proacl FROM pg_proc"
            "   WHERE pronamespace = 'public'::regnamespace"
            ") granted (kind, name, acl) ORDER BY 1, 2"
        )
        .fetchall()
    )


def attributes(roles):
    """The attributes and memberships of the roles; the rights on the database and the schema."""
    return (
        roles.owner()
        .execute(
            "SELECT r.rolname, r.rolcreatedb, r.rolcreaterole, r.rolbypassrls, r.rolreplication,"
            " array(SELECT roleid::regrole::text FROM pg_auth_members WHERE member = r.oid ORDER BY 1),"
            " has_schema_privilege(r.oid, 'public', 'CREATE'),"
            " has_database_privilege(r.oid, current_database(), 'CREATE')"
            " FROM pg_roles r WHERE starts_with(r.rolname, %s) ORDER BY 1",
            [roles.prefix],
        )
        .fetchall()
    )


# ways in which a role comes to more than it needs: {0} the reader, {1} app, {2} owner, {3} a producer
MORE = (
    "GRANT {1} TO {0}",
    "GRANT pg_read_all_data TO {0}",
    "GRANT {2} TO {3}",
    "ALTER ROLE {0} CREATEDB CREATEROLE BYPASSRLS REPLICATION",
    "GRANT CREATE ON SCHEMA public TO {0}",
    "GRANT CREATE, TEMPORARY ON DATABASE {database} TO {0}",
    "GRANT SELECT ON message_archive_unplaced TO {0}",
    "GRANT UPDATE ON SEQUENCE audit_log_id_seq TO {0}",
    "GRANT SELECT ON dlq_events TO PUBLIC",
    "GRANT SELECT (payload) ON dlq_events TO PUBLIC",
    "GRANT SELECT ON dlq_events TO {3}",
)


def printed(roles, capsys, **options):
    with roles.as_role(None):
        capsys.readouterr()
        call_command("grants", prefix=roles.prefix, **options)
        return capsys.readouterr().out


def test_what_it_prints_changes_nothing_where_it_was_applied(roles, capsys):
    before = privileges(roles)
    roles.owner().execute(printed(roles, capsys, keep_temp=True))
    roles.owner().execute(printed(roles, capsys, producer="shop", queue=["orders", "returns"]))
    assert privileges(roles) == before


def test_what_was_granted_beyond_it_is_taken_back(roles, capsys):
    before = privileges(roles)
    reader = roles.role("reader")
    roles.owner().execute(SQL("GRANT ALL ON dlq_events, queues TO {}").format(reader))
    roles.owner().execute(SQL("GRANT SELECT (payload) ON message_archive TO {}").format(reader))
    roles.owner().execute("GRANT EXECUTE ON FUNCTION dead_letter_revive TO PUBLIC")
    assert privileges(roles) != before
    roles.owner().execute(printed(roles, capsys, keep_temp=True))
    assert privileges(roles) == before


def test_by_whatever_road_a_role_had_more_it_loses_it(roles, capsys):
    before, known = privileges(roles), attributes(roles)
    for road in MORE:
        roles.owner().execute(
            SQL(road).format(
                *map(roles.role, ("reader", "app", "owner", "producer_shop")), database=Identifier(roles.name)
            )
        )
    assert privileges(roles) != before
    assert attributes(roles) != known
    roles.owner().execute(printed(roles, capsys))
    assert privileges(roles) == before
    assert attributes(roles) == known
    roles.owner().execute(SQL("GRANT TEMPORARY ON DATABASE {} TO PUBLIC").format(Identifier(roles.name)))


def test_whoever_owned_the_tables_goes_on_with_its_rights(roles, capsys):
    former, owner = roles.role("nobody"), roles.role("owner")
    for name in ("message_queue", "dlq_events"):
        roles.owner().execute(SQL("ALTER TABLE {} OWNER TO {}").format(Identifier(name), former))
    roles.owner().execute(printed(roles, capsys, keep_temp=True))
    try:
        roles.connect("nobody").execute("SELECT FROM dlq_events")
        roles.connect("nobody").execute("ALTER TABLE message_queue SET (fillfactor = 70)")
    finally:
        roles.owner().execute(SQL("REVOKE {} FROM {}").format(owner, former))


FILL = (
    "SELECT lo_from_bytea(0, repeat('x', 9000)::bytea)",
    "SELECT lo_creat(-1)",
    "SELECT lo_create(0)",
    "SELECT lo_put(1, 0, 'x')",
    "SELECT lowrite(0, 'x')",
)


def test_nobody_fills_the_disk_with_large_objects(roles, capsys):
    roles.owner().execute(printed(roles, capsys))
    for role in ("app", "producer_shop", "consumer", "reporter", "pipeline", "reader", "nobody"):
        for statement in FILL:
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                roles.connect(role).execute(statement)
    assert roles.owner().execute("SELECT count(*) FROM pg_largeobject_metadata").fetchone() == (0,)
    roles.owner().execute(SQL("GRANT TEMPORARY ON DATABASE {} TO PUBLIC").format(Identifier(roles.name)))


def test_large_objects_are_left_to_who_shares_the_database(roles, capsys):
    assert "lo_creat" not in printed(roles, capsys, keep_temp=True)


def test_a_producer_made_again_loses_what_it_had_beside_its_queues(roles, capsys):
    before = privileges(roles)
    shop = roles.role("producer_shop")
    roles.owner().execute(SQL("GRANT INSERT ON message_queue TO {}").format(shop))
    roles.owner().execute(SQL("GRANT EXECUTE ON FUNCTION dead_letter_revive TO {}").format(shop))
    roles.owner().execute(SQL("GRANT {} TO {}").format(roles.role("consumer"), shop))
    roles.owner().execute(printed(roles, capsys, producer="shop", queue=["orders", "returns"]))
    assert privileges(roles) == before
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        roles.connect("producer_shop").execute("SELECT payload FROM message_queue")
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="may not send to the queue"):
        roles.connect("producer_shop").execute(
            "INSERT INTO message_queue (queue, payload) VALUES ('other', '1')"
        )


def test_no_function_of_ours_is_publics_and_those_with_rights_pin_the_search_path(db):
    """After each migrate: this database was only migrated."""
    functions = rows(FUNCTIONS)
    assert len(functions) > 50
    for name, definition, is_open in functions:
        # what an index computes is called by whoever may insert
        assert is_open is (name == "dead_letter_ids"), f"PUBLIC may call {name}: see engine/grants/excess.py"
        if "SECURITY DEFINER" in definition:
            path = re.findall(r"SET search_path TO (.*)", definition)
            assert path == ["'public', 'pg_temp'"], name


def test_no_function_that_forbids_a_plan_is_compiled(db):
    """The planner prices what is forbidden so high that it compiles, for seconds, what takes a moment."""
    settings = {
        name: set(config.split())
        for name, config in rows(
            "SELECT proname, array_to_string(proconfig, ' ') FROM pg_proc WHERE proconfig IS NOT NULL"
        )
        if "enable_" in config
    }
    assert len(settings) > 10
    assert not [name for name, config in settings.items() if "jit=off" not in config]


def test_a_function_of_tomorrow_is_closed_by_the_next_migrate(roles):
    roles.owner().execute("GRANT EXECUTE ON FUNCTION dead_letter_revive, dead_letter_frames TO PUBLIC")
    with roles.as_role(None):
        call_command("migrate", verbosity=0)
    open_ones = roles.owner().execute(
        "SELECT proname FROM pg_proc p WHERE pronamespace = 'public'::regnamespace"
        " AND has_function_privilege('public', oid, 'EXECUTE')"
        " AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')"
    )
    # an index of dlq_events computes it: whoever may insert calls it
    assert open_ones.fetchall() == [("dead_letter_ids",)]


def test_a_producer_loses_the_queues_that_it_is_not_given_again(roles, capsys):
    def change(*queues):
        with roles.as_role(None):
            call_command(
                "grants", "--apply", prefix=roles.prefix, producer="shop", queue=list(queues), verbosity=0
            )
        allowed = "SELECT queue FROM producer_queues WHERE role_name = %s"
        return {queue for (queue,) in roles.owner().execute(allowed, [roles.prefix + "producer_shop"])}

    assert change("parcels") == {"parcels"}
    assert change("orders", "returns") == {"orders", "returns"}


def test_a_password_is_set_and_is_in_no_statement(roles, capsys, monkeypatch):
    monkeypatch.setenv("THE_PASSWORD", PASSWORD)
    with roles.as_role(None):
        call_command(
            "grants",
            "--apply",
            prefix=roles.prefix,
            producer="press",
            queue=["news"],
            password_from="THE_PASSWORD",
        )
    assert PASSWORD not in capsys.readouterr().out
    roles.passwords["producer_press"] = PASSWORD
    link = roles.connect("producer_press")
    link.execute("INSERT INTO message_queue (queue, payload) VALUES ('news', '1')")
    roles.owner().execute("DELETE FROM message_queue WHERE queue = 'news'")
    roles.owner().execute("DELETE FROM producer_queues WHERE queue = 'news'")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"producer": "shop"}, "--producer NAME or --consumer goes with --queue QUEUE"),
        ({"queue": ["orders"]}, "--producer NAME or --consumer goes with --queue QUEUE"),
        ({"consumer": True}, "--producer NAME or --consumer goes with --queue QUEUE"),
        ({"consumer": True, "producer": "shop", "queue": ["orders"]}, "Name either"),
        ({"migrate": True}, "need --apply"),
        ({"producer": "shop", "queue": [""]}, "A queue cannot be called"),
        ({"producer": "shop", "queue": ["orders", "x" * 300]}, "A queue cannot be called"),
        ({"prefix": "pg_"}, "PostgreSQL's own"),
        ({"apply": True, "password_from": "NOT_THERE"}, "has no NOT_THERE"),
        ({"prefix": "x" * 60}, "longer than 63 bytes"),
    ],
)
def test_what_cannot_be_is_one_sentence(db, options, words):
    with pytest.raises(CommandError, match=words):
        call_command("grants", **options)


def test_who_may_not_make_roles_is_told_so(roles):
    with (
        roles.as_role("app"),
        pytest.raises(CommandError, match="may not make roles: connect as a superuser"),
    ):
        call_command("grants", "--apply", prefix=roles.prefix)


def test_who_is_no_superuser_can_set_it_all_up(roles):
    """As on a managed server: CREATEROLE, a database and its tables of one's own, and nothing else."""
    admin = f"{roles.prefix}admin"
    database = f"{roles.name}_managed"
    roles.passwords["admin"] = PASSWORD
    run = roles.owner().execute
    run(SQL("CREATE ROLE {} LOGIN CREATEROLE PASSWORD {}").format(Identifier(admin), Literal(PASSWORD)))
    run(SQL("CREATE DATABASE {} TEMPLATE {} OWNER {}").format(
        Identifier(database), Identifier(roles.template), Identifier(admin)))  # fmt: skip
    try:
        with roles.as_role(None, database):
            call_command("grants", "--apply", prefix=f"{roles.prefix}0_", verbosity=0)
        run(SQL("GRANT {} TO {}").format(Identifier(f"{roles.prefix}0_owner"), Identifier(admin)))
        with roles.as_role("admin", database):
            for _ in range(2):
                call_command("grants", "--apply", "--migrate", prefix=f"{roles.prefix}1_", verbosity=0)
            assert "owns the tables" in excess.excess()
    finally:
        run(SQL("DROP DATABASE {} WITH (FORCE)").format(Identifier(database)))


def test_who_runs_with_more_than_it_needs_is_told_so(roles, caplog):
    with roles.as_role(None):
        assert "is a superuser" in excess.excess()
        assert [found.id for found in excess.check_rights(databases=["default"])] == ["engine.W001"]
    with roles.as_role("app"):
        assert excess.check_rights(databases=["default"]) == []
    excess.warn_once_connected()
    with roles.as_role(None):
        for _ in range(2):
            excess.excess()
    assert len([record for record in caplog.records if "is a superuser" in record.message]) == 1


def test_each_column_that_is_granted_is_there(roles):
    """A right on a column that is gone would only show when somebody runs the command."""
    tables = _columns(roles)
    named = [right for role in rights.ROLES for right in role.rights if right.columns]
    assert named
    for right in named:
        assert set(right.columns) <= tables[right.table], right
    assert Names("dlq_").text("app") == "dlq_app"


def _columns(roles):
    columns: dict[str, set[str]] = {}
    for table, column in roles.owner().execute(COLUMNS).fetchall():
        columns.setdefault(table, set()).add(column)
    return columns


def test_a_session_of_a_role_has_limits(roles):
    with pytest.raises(psycopg.errors.QueryCanceled):
        roles.connect("reader").execute("SET statement_timeout = '20ms'; SELECT pg_sleep(5)")
    roles.connect("reader").execute("RESET statement_timeout")
    assert roles.connect("reader").execute("SHOW statement_timeout").fetchone() == ("15s",)
    assert roles.connect("producer_shop").execute("SHOW lock_timeout").fetchone() == ("10s",)


def test_the_limits_and_the_schema_of_a_role_hold_in_its_database_alone(roles):
    """In another one it may work in another schema; what was set for all databases is gone."""
    app = roles.role("app")
    roles.owner().execute(SQL("ALTER ROLE {} SET search_path = elsewhere").format(app))
    with roles.as_role(None):
        call_command("grants", apply=True, prefix=roles.prefix, keep_temp=True, verbosity=0)
    set_for = roles.owner().execute(
        "SELECT datname, setting FROM pg_db_role_setting LEFT JOIN pg_database d ON d.oid = setdatabase,"
        " unnest(setconfig) setting WHERE setrole = (SELECT oid FROM pg_roles WHERE rolname = %s)",
        [roles.prefix + "app"],
    )
    assert set(set_for.fetchall()) == {
        (roles.name, "search_path=public, pg_temp"),
        (roles.name, "statement_timeout=0"),
        (roles.name, "lock_timeout=60s"),
        (roles.name, "idle_in_transaction_session_timeout=0"),
        (roles.name, "jit=off"),
    }
    assert roles.connect("app").execute("SHOW lock_timeout").fetchone() == ("1min",)
