"""Rules, merges and splits: whoever writes a dead letter, and whatever a rule says."""

import pytest
from django.db import DatabaseError, IntegrityError, transaction
from django.db.models.functions import Now

from dlqconsole.core.errors import InvalidMerge, InvalidRule
from dlqconsole.engine.groups import merging
from dlqconsole.engine.groups.classification import explain
from dlqconsole.engine.groups.rules import RULES, attempt
from dlqconsole.engine.models import AuditEntry, DeadLetter, FailureGroup, FailureRule, GroupMerge
from tests.plain_sql import column, execute

pytestmark = pytest.mark.django_db
WHO = {"actor": "user:admin", "reason": "a test"}


def rule(**given):
    return RULES.add({"name": "a rule", **given}, **WHO)


def put(letter, reason="Refused: billing said no", category="UNKNOWN", **columns):
    return DeadLetter.objects.get(pk=letter(error_reason=reason, error_category=category, **columns))


def reclassify(category=None, **which):
    ids = list(DeadLetter.objects.filter(**which).values_list("pk", flat=True))
    return column("SELECT id FROM reclassify_dead_letters(%s, %s)", ids, category)


@pytest.mark.parametrize(
    "condition",
    [
        {"event_type": "order.*"},
        {"error_class": "Refused"},
        {"error_class": "*fused", "event_type": "order.created"},
        {"pattern": "billing (said|says) no"},
    ],
)
def test_a_rule_gives_its_category_where_the_error_said_none(letter, condition):
    made = rule(category="DEPENDENCY", **condition)
    found = put(letter)
    assert (found.error_category, found.said_category) == ("DEPENDENCY", "UNKNOWN")
    assert found.category_rule_id == made.pk


@pytest.mark.parametrize(
    "condition",
    [
        {"event_type": "orders.*"},
        {"event_type": "order_created"},
        {"error_class": "Refuse"},
        {"pattern": "^billing"},
        {"sqlstate": "08*"},
        {"event_type": "order.created", "error_class": "Accepted"},
    ],
)
def test_a_rule_leaves_alone_what_it_does_not_match(letter, condition):
    rule(category="DEPENDENCY", **condition)
    assert put(letter).error_category == "UNKNOWN"


@pytest.mark.parametrize(
    ("condition", "reason", "matches"),
    [
        ({"sqlstate": "40001"}, "OperationalError: could not serialize [SQLSTATE 40001]", True),
        ({"sqlstate": "40001, 08*"}, "PSQLException: no connection; SQLState: 08006", True),
        ({"sqlstate": "08*"}, "OperationalError: could not serialize [SQLSTATE 40001]", False),
        ({"http_status": "503"}, "HTTPError: HTTP Error 503: Service Unavailable", True),
        ({"http_status": "429, 5xx"}, "HTTPStatusError: Server error '502 Bad Gateway' for url 'x'", True),
        ({"http_status": "5xx"}, "HTTPError: 404 Client Error: Not Found for url: http://x/", False),
        ({"http_status": "404"}, "HTTPError: 404 Client Error: Not Found for url: http://x/", True),
        ({"http_status": "503"}, "Oops: 503 items are missing", False),
        ({"error_class": "UniqueViolation"}, "psycopg.errors.UniqueViolation: key exists", True),
        ({"error_class": "psycopg.*"}, "psycopg.errors.UniqueViolation: key exists", True),
        ({"error_class": "psycopg"}, "psycopg.errors.UniqueViolation: key exists", False),
    ],
)
def test_codes_and_dotted_classes(letter, condition, reason, matches):
    rule(category="BUSINESS", **condition)
    assert (put(letter, reason).error_category == "BUSINESS") is matches


def test_what_the_error_says_stands_unless_a_rule_overrides(letter):
    made = rule(category="BUSINESS", error_class="Refused")
    assert put(letter, category="PERMANENT").error_category == "PERMANENT"
    RULES.change(
        made.pk, 1, {"name": "n", "category": "BUSINESS", "error_class": "Refused", "overrides": "yes"}, **WHO
    )
    found = put(letter, category="PERMANENT")
    assert (found.error_category, found.said_category) == ("BUSINESS", "PERMANENT")


def test_the_first_rule_wins_for_category_and_fingerprint_by_themselves(letter):
    first = rule(category="BUSINESS", error_class="Refused")
    second = rule(category="DEPENDENCY", fingerprint="refusals of {type}", error_class="Refused")
    found = put(letter)
    assert (found.error_category, found.category_rule_id, found.fingerprint_rule_id) == (
        "BUSINESS", first.pk, second.pk,
    )  # fmt: skip
    RULES.move(second.pk, 1, up=True, **WHO)
    assert put(letter).category_rule_id == second.pk
    RULES.switch(second.pk, 1, on=False, **WHO)
    assert put(letter).category_rule_id == first.pk


def test_a_fingerprint_overrides_or_refines(letter):
    rule(fingerprint="anything about billing ({status})", pattern="billing")
    one = put(letter, "Refused: billing said no")
    two = put(letter, "Down: billing is away", category="DEPENDENCY", event_type="other")
    assert one.group_id == two.group_id
    assert FailureGroup.objects.get(pk=one.group_id).message == "anything about billing ()"

    rule(fingerprint="{default} of {type}", error_class="Late")
    groups = {put(letter, f"Late: by {n} s", event_type=f"t{n % 2}").group_id for n in range(6)}
    assert len(groups) == 2
    assert {str(g) for g in FailureGroup.objects.filter(pk__in=groups)} == {
        "Late: by <value> s of t0",
        "Late: by <value> s of t1",
    }


def test_a_changed_rule_starts_from_what_the_error_said(letter):
    made = rule(category="BUSINESS", error_class="Refused")
    put(letter)
    RULES.delete(made.pk, 1, **WHO)
    reclassify()
    found = DeadLetter.objects.get()
    assert (found.error_category, found.said_category, found.category_rule_id) == ("UNKNOWN", None, None)


def test_an_error_that_says_it_anew_is_asked_anew(letter):
    found = put(letter)
    rule(category="BUSINESS", pattern="never")
    DeadLetter.objects.filter(pk=found.pk).update(error_reason="Refused: never again")
    found.refresh_from_db()
    assert (found.error_category, found.said_category) == ("BUSINESS", "UNKNOWN")
    DeadLetter.objects.filter(pk=found.pk).update(error_category="PERMANENT")
    found.refresh_from_db()
    assert (found.error_category, found.said_category) == ("PERMANENT", None)


@pytest.mark.parametrize(
    "pattern", ["(", "a{5,2}", "[z-a]", r"(a+)\1", "a" * 499 + "(", r"\y(?<n>a)", "*", "a**"]
)
def test_a_regular_expression_that_cannot_work_is_refused_by_form_and_by_sql(pattern):
    with pytest.raises(InvalidRule, match="regular expression"):
        rule(category="BUSINESS", pattern=pattern)
    with pytest.raises(IntegrityError, match="failure_rules_pattern"), transaction.atomic():
        FailureRule.objects.create(name="by sql", category="BUSINESS", pattern=pattern)


@pytest.mark.parametrize(
    "given",
    [
        {"category": "BUSINESS"},
        {"error_class": "X"},
        {"error_class": "X", "category": "LOST"},
        {"sqlstate": "4000", "category": "BUSINESS"},
        {"http_status": "6xx", "category": "BUSINESS"},
        {"fingerprint": "{user}", "error_class": "X"},
        {"fingerprint": "x" * 301, "error_class": "X"},
        {"error_class": "X\x00", "category": "BUSINESS"},
        {"name": "", "error_class": "X", "category": "BUSINESS"},
    ],
)
def test_a_rule_that_means_nothing_is_refused_with_a_sentence(given):
    with pytest.raises(InvalidRule) as refused:
        rule(**given)
    assert all(sentence.endswith(".") for sentence in refused.value.problems)
    assert not FailureRule.objects.exists()


def test_no_dead_letter_is_lost_for_a_rule(letter):
    # a session that came before the CHECK, or a server that knows an expression differently
    execute("ALTER TABLE failure_rules DROP CONSTRAINT failure_rules_pattern")
    FailureRule.objects.create(name="broken", category="BUSINESS", pattern="(")
    assert put(letter).error_category == "UNKNOWN"


@pytest.mark.parametrize(
    "reason",
    [
        None,
        "",
        " ",
        "\n\n",
        "x" * 5_000_000,
        "\x01\x02\ufffd\u202e" * 50,
        "'" * 5_000,
        "a/" * 50_000,
        "::" * 900,
    ],
)
def test_whatever_the_reason_is_the_dead_letter_is_kept(letter, reason):
    rule(category="BUSINESS", pattern="nothing like it", event_type="*")
    found = put(letter, reason, error_stacktrace=reason)
    assert found.error_reason == (reason or "")
    assert len(FailureGroup.objects.get(pk=found.group_id).message) <= 300


def test_two_people_cannot_overwrite_each_other():
    made = rule(category="BUSINESS", error_class="Refused")
    RULES.switch(made.pk, 1, on=False, **WHO)
    with pytest.raises(InvalidRule, match="meanwhile"):
        RULES.delete(made.pk, 1, **WHO)
    actions = (
        AuditEntry.objects.filter(target=f"rule:{made.pk}").order_by("id").values_list("action", flat=True)
    )
    assert list(actions) == ["create", "disable"]


def test_what_a_trial_says_is_what_happens_and_it_keeps_nothing(letter):
    for number in range(12):
        put(letter, f"Refused: order {number}")
        put(letter, f"Late: order {number}", category="TRANSIENT")
    given = {"name": "t", "category": "BUSINESS", "pattern": "order [0-4]$", "overrides": "yes"}
    before = list(DeadLetter.objects.order_by("pk").values())
    trial = attempt(given)
    assert (trial.looked, trial.matched, trial.changed, trial.category_changed) == (24, 10, 10, 10)
    assert (trial.groups_before, trial.groups_after, len(trial.sample)) == (2, 2, 10)
    assert list(DeadLetter.objects.order_by("pk").values()) == before
    assert not FailureRule.objects.exists()
    rule(**given)
    reclassify()
    after = DeadLetter.objects.order_by("pk").values()
    changed = [row for old, row in zip(before, after, strict=True) if old["group_id"] != row["group_id"]]
    assert len(changed) == trial.group_changed
    assert {row["error_category"] for row in changed} == {"BUSINESS"}


def test_only_what_changes_is_written_and_returned(letter):
    one, other = put(letter), put(letter, "Late: yes")
    rule(category="BUSINESS", error_class="Refused")
    assert reclassify() == [one.pk]
    one.refresh_from_db()
    assert (one.error_category, one.said_category, one.version) == ("BUSINESS", "UNKNOWN", 2)
    assert one.reclassified_at is not None
    assert DeadLetter.objects.get(pk=other.pk).version == 1
    assert reclassify() == []


def test_a_category_that_a_person_names_stands_over_the_rules_until_they_are_asked(letter):
    made = rule(category="BUSINESS", error_class="Refused")
    one = put(letter)
    assert reclassify("PERMANENT") == [one.pk]
    one.refresh_from_db()
    assert (one.error_category, one.said_category, one.category_rule_id) == ("PERMANENT", "UNKNOWN", None)
    assert reclassify() == [one.pk]
    one.refresh_from_db()
    assert (one.error_category, one.category_rule_id) == ("BUSINESS", made.pk)
    with pytest.raises(IntegrityError, match="dlq_events_category"), transaction.atomic():
        reclassify("LOST")


def test_what_fails_anew_after_that_is_asked_anew(letter):
    one = put(letter)
    reclassify("BUSINESS")
    DeadLetter.objects.filter(pk=one.pk).update(error_category="TRANSIENT", occurrences=2)
    one.refresh_from_db()
    assert (one.error_category, one.said_category) == ("TRANSIENT", None)


def two_groups(letter):
    return put(letter, "Refused: no").group_id, put(letter, "Late: yes").group_id


def test_a_merge_holds_for_old_and_new(letter):
    into, other = two_groups(letter)
    assert merging.merge([other], into, **WHO) == [other]
    assert put(letter, "Late: yes").group_id == into
    reclassify(group_id=other)
    reclassify()
    assert set(DeadLetter.objects.values_list("group_id", flat=True)) == {into}
    assert AuditEntry.objects.filter(action="merge").count() == 2


def test_the_same_words_again_join_the_merged_group(letter):
    into, other = two_groups(letter)
    merging.merge([other], into, **WHO)
    DeadLetter.objects.filter(group_id=other).update(occurrences=2)
    assert not DeadLetter.objects.filter(group_id=other).exists()


def test_a_split_holds_too(letter):
    into, other = two_groups(letter)
    merging.merge([other], into, **WHO)
    reclassify()
    assert merging.split(other, into, **WHO) == [into]
    assert put(letter, "Late: yes").group_id == other
    reclassify()
    assert DeadLetter.objects.filter(group_id=other).count() == 2
    assert DeadLetter.objects.filter(group_id=into).count() == 1


def test_chains_are_flattened_and_circles_cannot_be(letter):
    one, two = two_groups(letter)
    three = put(letter, "Bad: luck").group_id
    merging.merge([one], two, **WHO)
    merging.merge([two], three, **WHO)
    assert dict(GroupMerge.objects.values_list("pk", "group_id")) == {one: three, two: three}
    with pytest.raises(InvalidMerge, match="itself"):
        merging.merge([one], one, **WHO)
    with pytest.raises(InvalidMerge, match=f"merged into group {three}"):
        merging.merge([put(letter, "New: one").group_id], two, **WHO)
    merging.merge([three], two, **WHO)
    assert dict(GroupMerge.objects.values_list("pk", "group_id")) == {one: two, three: two}
    with pytest.raises(InvalidMerge, match="no group"):
        merging.merge([7], two, **WHO)
    with pytest.raises(InvalidMerge, match="was not merged"):
        merging.split(two, three, **WHO)
    with pytest.raises(InvalidMerge, match="was not merged"):
        merging.split(one, three, **WHO)


def test_a_merge_of_the_first_version_goes_over_to_the_second(letter):
    old = put(
        letter,
        "Late: yes",
        error_stacktrace='Traceback (most recent call last)\n  File "/a/b.py", line 1, in f\n',
    )
    into = put(letter, "Refused: no").group_id
    FailureGroup.objects.create(
        pk=1, event_type="x", error_category="UNKNOWN", error_class="", message="Late: yes"
    )
    # as version 1 left it; with reclassified_at, an UPDATE brings its own classification
    as_version_1 = {"group_id": 1, "fingerprint_id": 0, "fingerprint_version": 1, "reclassified_at": Now()}
    DeadLetter.objects.filter(pk=old.pk).update(**as_version_1)
    old.refresh_from_db()
    assert (old.group_id, old.fingerprint_version) == (1, 1)
    merging.merge([1], into, **WHO)
    reclassify(pk=old.pk)
    old.refresh_from_db()
    assert (old.group_id, old.fingerprint_version) == (into, 2)
    assert put(letter, "Late: yes", error_stacktrace=old.error_stacktrace).group_id == into


def test_it_says_why_a_dead_letter_is_in_its_group(letter):
    rule(category="BUSINESS", error_class="Late")
    into = put(letter, "Refused: no").group_id
    late = put(
        letter,
        "Late: by 7 s",
        error_stacktrace='Traceback (most recent call last)\n  File "/a/b.py", line 1, in f\n',
    )
    merging.merge([late.group_id], into, **WHO)
    day = GroupMerge.objects.get().created_at.strftime("%Y-%m-%d")
    merged = f"user:admin merged this fingerprint into group {into} on {day}."
    # what is still in the group that was merged says where that went, and not where it is
    assert late.group_id != into
    assert merged in [part.sentence for part in explain(late.pk)]
    reclassify(pk=late.pk)
    parts = {part.name: part for part in explain(late.pk)}
    assert parts["category"].sentence.startswith("The category BUSINESS, by rule")
    assert (parts["message"].detail, parts["frames"].detail) == ("Late: by <value> s", "b.py f")
    assert "Late: by 7 s" in parts["message"].sentence
    assert parts["merge"].sentence == merged
    assert "stale" not in parts
    FailureRule.objects.all().delete()
    assert "stale" in {part.name for part in explain(late.pk)}
    assert explain(10**12) == []


def test_a_producer_with_no_right_but_to_insert_is_asked_by_the_rules_too(letter):
    into, other = two_groups(letter)
    merging.merge([other], into, **WHO)
    rule(category="BUSINESS", error_class="Refused")
    execute("CREATE ROLE producer_of_rules")
    execute("GRANT INSERT ON dlq_events TO producer_of_rules")
    execute("SET LOCAL ROLE producer_of_rules")
    execute(
        "INSERT INTO dlq_events (event_type, error_reason) VALUES ('order.created', 'Refused: by role'),"
        " ('order.created', 'Late: yes')"
    )
    execute("RESET ROLE")
    assert DeadLetter.objects.get(error_reason="Refused: by role").error_category == "BUSINESS"


def test_a_rule_cannot_reach_through_sql(letter):
    rule(fingerprint="'; DROP TABLE dlq_events; --{class}", error_class="Re%")  # no wildcard of ours
    assert put(letter).fingerprint_rule_id is None
    with pytest.raises(DatabaseError), transaction.atomic():
        FailureRule.objects.create(name="n", error_class="X", fingerprint="{{default}}")


def test_the_first_rule_goes_no_further_up_and_the_last_no_further_down():
    first, last = rule(category="BUSINESS", error_class="A"), rule(category="BUSINESS", error_class="B")
    with pytest.raises(InvalidRule, match="is the first already"):
        RULES.move(first.pk, 1, up=True, **WHO)
    with pytest.raises(InvalidRule, match="is the last already"):
        RULES.move(last.pk, 1, up=False, **WHO)
    assert list(FailureRule.objects.order_by("position").values_list("pk", flat=True)) == [first.pk, last.pk]
