"""manage.py rehearse: two versions of the handlers, over what failed and what succeeded."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from dlqconsole.contrib.rehearsals.comparison.cases import Case
from dlqconsole.contrib.rehearsals.comparison.comparing import CaseVerdict, judge
from dlqconsole.engine.models import Attempt, AuditEntry, EnrichedEvent
from dlqconsole.people.models import Scope
from dlqconsole.processing.outcomes import Failed, Succeeded
from tests.accounts import person, token_of
from tests.plain_sql import execute, rows

pytestmark = pytest.mark.django_db(transaction=True)

OLD = """
from dlqconsole.processing import BusinessError, handler

class AirportUnknown(BusinessError):
    pass

@handler("flight", rehearsable=True)
def flight(event, lookups):
    if event.data["dest"] == "BQN":
        raise AirportUnknown("BQN")
    if event.data["dest"] == "NWH":
        raise AirportUnknown("NWH")
    return {"dest": event.data["dest"], "rehearsal": event.rehearsal}

@handler("quiet")
def quiet(event, lookups):
    return {}
"""
NEW = (
    OLD.replace('event.data["dest"] == "BQN"', 'event.data["dest"] == "MIA"')
    .replace('AirportUnknown("NWH")', 'KeyError("NWH")')
    .replace('"rehearsal": event.rehearsal', '"rehearsal": event.rehearsal, "size": len(event.data["dest"])')
)


@pytest.fixture
def branches(tmp_path):
    for name, text in (("old", OLD), ("new", NEW)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "flights_of_a_test.py").write_text(text)
    return tmp_path


def dead_letter(dest, event_type="flight"):
    [(number,)] = rows(
        "INSERT INTO dlq_events (event_type, payload, error_reason, error_category)"
        " VALUES (%s, %s, 'AirportUnknown: no', 'BUSINESS') RETURNING id",
        event_type,
        json.dumps({"dest": dest}),
    )
    return number


def sample(dest, *, masked=False, ago="1 day"):
    [(number,)] = rows(
        "INSERT INTO success_samples (event_type, source, source_key, payload, masked, sampled_at)"
        " VALUES ('flight', 'file:x', gen_random_uuid()::text, %s, %s, now() - %s::interval) RETURNING id",
        json.dumps({"dest": dest}),
        masked,
        ago,
    )
    return number


def rehearse(branches, *more):
    out = StringIO()
    versions = ["--handlers", "flights_of_a_test", "--handlers-from", str(branches / "new"),
                "--than", "flights_of_a_test", "--than-from", str(branches / "old")]  # fmt: skip
    try:
        call_command("rehearse", *versions, *more, stdout=out)
    except CommandError as refusal:
        return out.getvalue(), refusal.returncode, str(refusal)
    return out.getvalue(), 0, ""


def test_it_tells_what_is_revived_broken_and_unchanged_and_writes_nothing(branches):
    revived, _otherwise = dead_letter("BQN"), dead_letter("NWH")
    dead_letter("x", "quiet")
    broken, _changed = sample("MIA"), sample("JFK")
    sample("JFK", masked=True)
    sample("MIA", ago="100 days")
    before = rows("SELECT md5(string_agg(d::text, '' ORDER BY id)) FROM dlq_events d")
    said, status, problem = rehearse(branches, "--json")
    assert (status, problem) == (1, "1 newly broken.")
    found = json.loads(said)
    assert {name: tuple(each.values()) for name, each in found["verdicts"].items()} == {
        "newly broken": (0, 1),
        "revived": (1, 0),
        "another record": (0, 1),
        "fails otherwise": (1, 0),
        "unchanged": (0, 0),
        "undecided": (0, 0),
        "not rehearsed": (1, 0),
    }
    assert (found["masked_samples_left_out"], found["older_left_out"]) == (1, 0)
    examples = {
        name: [(each["id"], each["said"]) for each in rows] for name, rows in found["examples"].items()
    }
    assert examples["revived"] == [(revived, "it failed as AirportUnknown")]
    assert examples["newly broken"] == [(broken, "AirportUnknown: BQN")]
    assert examples["another record"][0][1] == "it differs in size"
    assert rows("SELECT md5(string_agg(d::text, '' ORDER BY id)) FROM dlq_events d") == before
    assert (Attempt.objects.count(), EnrichedEvent.objects.count()) == (0, 0)


def test_as_a_table_of_the_newest_of_one_type(branches):
    for dest in ("BQN", "BQN", "NWH"):
        dead_letter(dest)
    dead_letter("x", "quiet")
    said, status, _problem = rehearse(branches, "--type", "flight", "--limit", "2", "--against", "1h")
    assert status == 0
    assert "Run on 2 dead letters and 0 sampled successes." in said
    assert "1 older ones are left out" in said
    assert "revived                      1         0" in said


def refused(branches, *options):
    with pytest.raises(CommandError) as refusal:
        call_command("rehearse", *options, stdout=StringIO())
    assert refusal.value.returncode == 2
    return str(refusal.value)


def test_what_makes_no_comparison_is_refused_in_a_sentence(branches, settings):
    settings.DLQ_HANDLERS = "tests.sample_handlers"
    new = str(branches / "new")
    assert "Both are the same" in refused(branches)
    assert "is no folder" in refused(branches, "--handlers-from", str(branches / "none"))
    assert "there is no “tests.sample_handlers” in" in refused(branches, "--handlers-from", new)
    assert "--handlers is empty" in refused(branches, "--handlers", " ")
    assert "--against is an age" in refused(branches, "--handlers", "a", "--against", "soon")
    assert "--limit lies between" in refused(branches, "--handlers", "a", "--limit", "0")
    assert "no module of that name" in refused(branches, "--handlers", "there_is_no_such_module")


def test_the_token_of_a_limited_person_tries_what_they_see(branches, settings):
    """Of a queue alone no sample is theirs: a sample has none."""
    execute(
        "INSERT INTO dlq_events (event_type, queue, payload, error_reason, error_category)"
        """ VALUES ('flight', 'gate', '{"dest": "BQN"}', 'AirportUnknown: no', 'BUSINESS')"""
    )
    dead_letter("BQN")
    sample("MIA")
    sample("JFK", masked=True)
    olga = person("olga")
    settings.DLQ_TOKEN = token_of(olga)
    scope = Scope.objects.create(user_id=olga.removeprefix("user:"), queue="gate")
    said, status, _problem = rehearse(branches, "--json")
    found = json.loads(said)
    assert (status, found["masked_samples_left_out"]) == (0, 0)
    assert sum(sum(each.values()) for each in found["verdicts"].values()) == 1
    Scope.objects.filter(pk=scope.pk).update(queue="*", event_type="fl*")
    found = json.loads(rehearse(branches, "--json")[0])
    assert found["masked_samples_left_out"] == 1
    assert sum(sum(each.values()) for each in found["verdicts"].values()) == 3
    assert AuditEntry.objects.filter(action="use token", detail__command="rehearse").count() == 2


def test_a_token_that_proves_nothing_or_too_little_ends_it(branches, settings):
    dead_letter("BQN")
    for token, why in (
        ("dlq_nonsense", "This token is not known here."),
        (token_of(person("vera", "viewer")), "is viewer and no operator"),
    ):
        settings.DLQ_TOKEN = token
        said, status, problem = rehearse(branches)
        assert (said, status) == ("", 2)
        assert why in problem


CASE = Case("sample", 1, "flight", "{}", None, {}, "s", "k", has_failed=False)


@pytest.mark.parametrize(
    ("failed", "old", "new", "verdict"),
    [
        (False, Succeeded({}, "{}"), Failed("Away: x", "DEPENDENCY", "Away", ""), CaseVerdict.UNDECIDED),
        (False, Succeeded({}, "{}"), Failed("Rule: x", "BUSINESS", "Rule", ""), CaseVerdict.BROKEN),
        (True, Failed("Away: x", "DEPENDENCY", "Away", ""), Succeeded({}, "{}"), CaseVerdict.REVIVED),
        (False, Succeeded({}, '{"a":1}'), Succeeded({}, '{"a": 1}'), CaseVerdict.UNCHANGED),
        (False, Succeeded({}, "null"), Succeeded({}, "{}"), CaseVerdict.CHANGED),
    ],
)
def test_what_did_not_answer_is_no_word_about_a_handler(failed, old, new, verdict):
    assert judge(CASE, old, new)[0] == verdict
