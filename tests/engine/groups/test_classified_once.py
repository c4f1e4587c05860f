"""What is alike but for its numbers is looked at once: with the same outcome as if each were."""

import pytest
from django.db import connection

from dlqconsole.engine.groups.rules import RULES
from dlqconsole.engine.models import DeadLetter, GroupMerge
from tests.security.database_roles import Roles

WHO = {"actor": "user:admin", "reason": "a test"}
# pairs and more that a careless key would take for one
REASONS = [
    *(f"TimeoutError: no answer from shard {number} within 30 s" for number in (1, 22, 333, 33)),
    *(f"E{number}: no" for number in (4, 40, 404, 4040, 503)),
    *(f"E{number}" for number in (404, 405)),
    *(f"HTTPError: {number} from /orders/{number}" for number in (503, 404)),
    *(f"HTTP {number}: refused" for number in (404, 503, 999, 429)),
    *(f"Server error '{number} x' at 7" for number in (500, 503)),
    *(f"SQLSTATE {state}: no" for state in ("40001", "08006", "08001", "57014")),
    *(f"Late: yes\nHTTP {number}" for number in (999, 503, 404)),
    *(f"HTTP {one}\nHTTP {other}" for one, other in ((404, 503), (999, 404))),
    *(f"invalid amount {number} of order_{number}" for number in (7, 8)),
    *(f"deadbeef{number} and [::{number}]" for number in (1, 2)),
    "",
    "1",
    "2",
]
INSERT = (
    "INSERT INTO dlq_events (event_type, error_reason, error_stacktrace, error_category)"
    " SELECT 'order.' || t, r, s, c FROM unnest(%s::text[]) r, unnest(ARRAY['a', 'b']) t,"
    " unnest(ARRAY['', E'at com.shop.Orders.charge(Orders.java:12)']) s,"
    " unnest(ARRAY['UNKNOWN', 'BUSINESS']) c"
)
DIFFERENT = (
    "SELECT d.error_reason, d.error_category, made.category FROM dlq_events d CROSS JOIN LATERAL"
    " dead_letter_classify(d.event_type, coalesce(d.said_category, d.error_category), false, d.error_reason,"
    " d.error_stacktrace) made"
    " WHERE (d.error_class, d.error_category, d.category_rule_id, d.fingerprint_id, d.fingerprint_rule_id,"
    " d.group_id) IS DISTINCT FROM (made.error_class, made.category, made.category_rule_id,"
    " made.fingerprint_id, made.fingerprint_rule_id, made.group_id)"
)


def rule(**given):
    return RULES.add({"name": "a rule", **given}, **WHO)


def execute(statement, values=()):
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return cursor.fetchall() if cursor.description else []


def put(reason):
    [[number]] = execute(
        "INSERT INTO dlq_events (event_type, error_reason) VALUES ('a.b', %s) RETURNING id", [reason]
    )
    return DeadLetter.objects.get(pk=number)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "rules",
    [
        [],
        [{"pattern": "shard [0-9]{2} ", "category": "BUSINESS"}],
        [{"pattern": "order_7", "category": "PERMANENT"}],
        [{"pattern": "amount", "fingerprint": "{type} {class} {status}"}],
        [
            {"http_status": "404", "category": "BUSINESS", "overrides": True},
            {"error_class": "E404", "fingerprint": "4"},
        ],
    ],
    ids=["shipped", "so many digits", "a digit", "a fingerprint", "a status and a class"],
)
def test_each_is_what_it_would_be_alone(rules):
    for one in rules:
        rule(**one)
    execute(INSERT, [REASONS])
    execute(INSERT, [REASONS[::-1]])
    assert DeadLetter.objects.count() == 2 * 8 * len(REASONS)
    assert execute(DIFFERENT) == []


@pytest.mark.django_db
def test_a_rule_goes_for_the_next_statement_of_a_session_that_knows_better():
    assert put("Refused: 1").error_category == "UNKNOWN"
    made = rule(error_class="Refused", category="BUSINESS")
    assert put("Refused: 2").error_category == "BUSINESS"
    execute("UPDATE failure_rules SET category = 'PERMANENT' WHERE id = %s", [made.pk])
    assert put("Refused: 3").error_category == "PERMANENT"
    execute("DELETE FROM failure_rules WHERE id = %s", [made.pk])
    assert put("Refused: 4").error_category == "UNKNOWN"


@pytest.mark.django_db
def test_a_merge_goes_for_the_next_statement_of_a_session_that_knows_better():
    one, other = put("Refused: 1"), put("Late: 1")
    GroupMerge.objects.create(fingerprint_id=one.group_id, group_id=other.group_id, actor="user:1")
    assert put("Refused: 2").group_id == other.group_id
    GroupMerge.objects.all().delete()
    assert put("Refused: 3").group_id == one.group_id


def test_who_may_only_insert_cannot_say_what_was_found_out_before(emptied: Roles):
    """A session keeps it in settings, and these are anybody's to change."""
    app = emptied.connect("app")
    insert = "INSERT INTO dlq_events (event_type, payload, error_reason) VALUES ('a', '1', 'Refused: no')"
    app.execute(insert)
    kept = {
        name: value
        for name in (f"dlq.sentence_{number:03x}" for number in range(4096))
        for [value] in app.execute("SELECT current_setting(%s, true)", [name])
        if value
    }
    assert kept
    writer = emptied.connect("writer")
    for name, value in kept.items():
        forged = value[:32] + "(Forged,BUSINESS,,,,1,,1)"
        writer.execute("SELECT set_config(%s, %s, false)", [name, forged])
    writer.execute(insert)
    rows = emptied.owner().execute("SELECT DISTINCT error_class, group_id FROM dlq_events").fetchall()
    assert [name for name, _group in rows] == ["Refused"]
