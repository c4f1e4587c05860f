"""Each role of the database tries what it may not; what the product and plain SQL need of a role works."""

import psycopg
import pytest

from tests.security.sql_attacks import ATTACKS, PRIVILEGE

LINE = "SQL attacks by role"
OURS = "pronamespace = 'public'::regnamespace"
ROWS = """
    INSERT INTO message_queue (queue, payload, group_key) VALUES
        ('orders', '1', 'customer-7'), ('orders', '2', 'customer-7'), ('billing', '3', NULL);
    INSERT INTO dlq_events (event_type, payload, error_reason, source, source_key)
        VALUES ('order.created', '{"email": "a@b.example"}', 'Refused: a@b.example', 'shop', 'dl');
    INSERT INTO failure_groups (id, event_type, error_category, error_class, message)
        VALUES (7, 'x', 'x', 'x', 'x');
"""


@pytest.fixture
def filled(emptied):
    """With messages of two queues, a group and a dead letter."""
    emptied.owner().execute(ROWS)
    return emptied


def refusal(link, statement, setup=""):
    """The SQLSTATE with which a statement is refused; None when it is not. Nothing of it stays."""
    link.execute("BEGIN")
    try:
        if setup:
            link.execute(setup)
        link.execute(statement)
    except psycopg.Error as error:
        return error.sqlstate
    finally:
        link.execute("ROLLBACK")
    return None


def test_what_a_role_may_not_is_refused(filled, scorecard):
    names = {
        role: filled.role(role).as_string(None) for role in ("owner", "app", "consumer", "producer_shop")
    }
    got_through = []
    for attack in ATTACKS:
        statement = attack.statement.format(**names) if "$$" not in attack.statement else attack.statement
        found = refusal(filled.connect(attack.role), statement, attack.setup)
        if found != attack.refusal:
            got_through.append(f"{attack.role}: {attack.statement} ({found})")
    scorecard(LINE, tried=len(ATTACKS), broke=got_through)


def test_nobody_reads_or_calls_anything_of_ours(filled, scorecard):
    """All tables, all functions: those to come, too."""
    statements = [
        text
        for (text,) in filled.owner().execute(
            "SELECT format('SELECT FROM public.%I', relname) FROM pg_class WHERE relkind IN ('r', 'p', 'v')"
            " AND relnamespace = 'public'::regnamespace AND relname <> 'dead_letter_transitions'"
            " UNION ALL SELECT format('SELECT public.%I(%s)', proname, array_to_string(ARRAY("
            "   SELECT 'NULL::' || t::regtype FROM unnest(proargtypes) t), ', '))"
            f" FROM pg_proc p WHERE {OURS} AND prorettype <> 'trigger'::regtype"
            # what an index computes is called by whoever inserts, and knows only what it is given
            " AND proname <> 'dead_letter_ids'"
            # a producer may send; to which queues the attacks ask
            " AND proname NOT IN ('queue_send', 'queue_send_many', 'queue_send_topic')"
            " AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')"
        )
    ]
    tried = [(role, statement) for role in ("nobody", "producer_shop") for statement in statements]
    broke = [one for one in tried if refusal(filled.connect(one[0]), one[1]) != PRIVILEGE]
    assert len(statements) > 60
    scorecard(LINE, tried=len(tried), broke=broke)


WILD = (
    "SELECT breaker_noted('type:x', repeat('x', 9000), 'NaN', 1e300, -1e300, 'Infinity', 'NaN', -5, NULL,"
    " 2000000000, repeat('why', 9000), 20, NULL, 1e300, 'Infinity')"
)


def test_the_pipeline_moves_a_breaker_within_bounds_and_is_named(filled):
    """Its report is believed; but it decides neither its weight nor how long it stops anybody."""
    link = filled.connect("pipeline")
    link.execute("BEGIN")
    states = [link.execute(WILD).fetchone() for _ in range(3)]
    looked = (
        "SELECT next_probe_at <= clock_timestamp() + interval '1 day', since <= clock_timestamp(), score,"
        " again_score, failures, successes, length(reason), length(event_types[1]), told_by FROM breakers"
        " WHERE key = 'type:x' AND failures > 0"
    )
    link.execute("SAVEPOINT here")
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        link.execute(looked)
    link.execute("ROLLBACK TO here")
    assert link.execute("SELECT breaker_probe('{type:x}', -1e300, 'NaN')").fetchone() == (False,)
    link.execute("COMMIT")
    row = filled.owner().execute(looked).fetchone()
    filled.owner().execute("DELETE FROM breakers WHERE key = 'type:x'")
    assert states == [("open",)] * 3
    assert row == (True, True, 3000, 3000, 30_000, 0, 4000, 255, filled.prefix + "pipeline")


def trigger_functions(filled):
    return filled.owner().execute(
        f"SELECT proname, prosecdef FROM pg_proc WHERE {OURS} AND prorettype = 'trigger'::regtype ORDER BY 1"
    )


# a twin of a table of ours, for who may not even read its columns
TWIN = """
    SELECT format('CREATE TEMP TABLE mine (%%s); INSERT INTO mine (id, headers) VALUES (1, ''{}'')',
        string_agg(format('%%I %%s', attname, format_type(atttypid, atttypmod)), ', '))
    FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped
"""
FIRING = {
    "AFTER INSERT ON mine REFERENCING NEW TABLE AS added": "INSERT INTO mine SELECT * FROM mine",
    "AFTER UPDATE ON mine REFERENCING OLD TABLE AS removed NEW TABLE AS added": "UPDATE mine SET id = id",
    "AFTER DELETE ON mine REFERENCING OLD TABLE AS removed": "DELETE FROM mine",
    "AFTER TRUNCATE ON mine": "TRUNCATE mine",
    "BEFORE INSERT ON mine FOR EACH ROW": "INSERT INTO mine SELECT * FROM mine",
    "BEFORE UPDATE ON mine FOR EACH ROW": "UPDATE mine SET headers = '{\"a\": 1}'",
}


def on_a_table_of_its_own(filled, function):
    """Each way to have a trigger function run for a temporary table: that, the trigger, what fires it."""
    of = "message_queue" if function.startswith("message_queue") else "dlq_events"
    [twin] = filled.owner().execute(TWIN, [of]).fetchone()
    for when, fires in FIRING.items():
        yield twin, f"CREATE TRIGGER mine {when} EXECUTE FUNCTION public.{function}()", fires


def test_nobody_puts_our_trigger_functions_on_a_table_of_his_own(filled, scorecard):
    tried, broke = 0, []
    for name, _definer in trigger_functions(filled):
        for twin, trigger, _fires in on_a_table_of_its_own(filled, name):
            tried += 1
            link = filled.connect("producer_shop")
            assert refusal(link, twin) is None
            if refusal(link, trigger, twin) != PRIVILEGE:
                broke.append(name)
    assert tried > 50
    scorecard(LINE, tried=tried, broke=broke)


def test_a_function_with_its_owners_rights_refuses_a_table_that_is_not_ours(filled, scorecard):
    """After EXECUTE was granted on all functions. A function with its caller's rights can do no harm."""
    tried, broke = 0, []
    for name, definer in trigger_functions(filled):
        for twin, trigger, fires in on_a_table_of_its_own(filled, name) if definer else ():
            tried += 1
            if refusal(filled.connect("careless"), fires, f"{twin}; {trigger}") != PRIVILEGE:
                broke.append((name, fires))
    assert tried > 40
    scorecard(LINE, tried=tried, broke=broke)


def test_a_producer_sees_results_only_where_it_was_granted_and_of_its_own_queues(emptied):
    shop, ask = emptied.connect("producer_shop"), "SELECT state FROM event_result(%s, '1')"
    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="permission denied for function"):
        shop.execute(ask, ["queue:orders"])
    role = emptied.role("producer_shop").as_string(None)
    emptied.owner().execute(f"GRANT EXECUTE ON FUNCTION event_result TO {role}")
    try:
        assert shop.execute(ask, ["queue:orders"]).fetchone() == ("gone",)
        for other in ("queue:billing", "queue:", "shop"):
            refused = f"may not see the results of '{other}'"
            with pytest.raises(psycopg.errors.InsufficientPrivilege, match=refused):
                shop.execute(ask, [other])
    finally:
        emptied.owner().execute(f"REVOKE EXECUTE ON FUNCTION event_result FROM {role}")
