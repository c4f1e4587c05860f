"""Counts of dead letters equal the truth, whoever writes, and no writer waits for another."""

import json
from contextlib import suppress

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction
from psycopg.errors import FeatureNotSupported

from dlqconsole.engine.counts import rollups
from dlqconsole.engine.database import sessions
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter
from dlqconsole.engine.models import AuditEntry, DeadLetter, DeadLetterCount, DeadLetterHour, FailureGroup
from tests.moving import bring_to
from tests.plain_sql import execute, rows

pytestmark = pytest.mark.django_db

INSERT = "INSERT INTO dlq_events (event_type, error_reason, queue) VALUES ({})"


def counted(**parameters):
    return rollups.by_status(DeadLetterFilter.parse(parameters))


def deltas():
    return rows("SELECT count(*) FROM dead_letter_deltas")[0][0]


def test_what_is_inserted_changed_and_deleted_is_counted_before_and_after_a_fold(letter):
    ids = [letter("a", queue="q" if n % 2 else None) for n in range(6)]
    bring_to("REVIVED", DeadLetter.objects.filter(pk__in=ids[:3]))
    DeadLetter.objects.filter(pk=ids[5]).delete()
    for _ in range(2):
        assert counted() == {"PENDING": 2, "REVIVED": 3}
        assert counted(queue="q") == {"PENDING": 1, "REVIVED": 1}
        assert counted(queue="a", status="REVIVED") == {"REVIVED": 2}
        assert rollups.by_queue(["PENDING"]) == {"a": 1, "q": 1}
        assert rollups.check() == []
        assert rollups.fold() == deltas() or deltas() == 0
    assert deltas() == 0


def test_none_one_and_many_rows_of_a_statement_are_counted_alike():
    """One row is counted in a way of its own: the same figures, moments and group come of it."""
    for number in (0, 1, 2, 1):
        execute(
            "INSERT INTO dlq_events (event_type, error_reason, created_at, last_failure_at, occurrences)"
            " SELECT 'a', 'E: ' || n, '2026-01-01 10:30+00', '2026-01-02 11:00+00', 3"
            " FROM generate_series(1, %s) n",
            number,
        )
    assert rows(
        "SELECT letters, occurrences, hour::text, first_at::text, last_at::text FROM dead_letter_deltas"
        " ORDER BY letters"
    ) == [
        (letters, 3 * letters, "2026-01-01 10:00:00+00", "2026-01-01 10:30:00+00", "2026-01-02 11:00:00+00")
        for letters in (1, 1, 2)
    ]
    assert rollups.check() == []
    assert FailureGroup.objects.count() == 1


def test_an_update_that_changes_nothing_that_is_counted_writes_nothing(letter):
    letter()
    rollups.fold()
    DeadLetter.objects.update(payload={"x": 1}, status="PENDING")
    DeadLetter.objects.filter(pk=-1).update(status="DISCARDED")
    assert deltas() == 0
    DeadLetter.objects.update(created_at="2026-01-01T00:00:00Z")
    assert deltas() == 2
    assert rollups.check() == []


def test_a_redelivered_failure_is_one_row_and_one_more_occurrence(letter):
    letter(source="s", source_key="1")
    again = (
        "INSERT INTO dlq_events (event_type, error_reason, error_category, source, source_key)"
        " VALUES ('order.created', 'Refused: billing said no', 'TRANSIENT', 's', '1')"
        " ON CONFLICT (source, source_key) DO UPDATE SET occurrences = dlq_events.occurrences + 1,"
        " last_failure_at = now() + interval '1 minute'"
    )
    execute(again)
    rollups.fold()
    total = DeadLetterCount.objects.get()
    assert (total.letters, total.occurrences) == (1, 2)
    assert total.last_at > total.first_at
    assert rollups.check() == []


def test_a_rollback_and_a_savepoint_take_their_counts_with_them(letter):
    letter()
    with suppress(ZeroDivisionError), transaction.atomic():
        letter()
        raise ZeroDivisionError
    assert counted() == {"PENDING": 1}
    assert rollups.check() == []


def test_a_truncate_counts_down_to_nothing(letter):
    letter()
    rollups.fold()
    letter()
    execute("TRUNCATE dlq_events")
    assert counted() == {}
    assert rollups.check() == []


def test_hours_are_those_of_utc_whatever_the_session_says(letter):
    letter(created_at="2026-03-01T23:59:59.999+00:00")
    execute("SET LOCAL timezone = 'Asia/Kolkata'")
    letter(created_at="2026-03-02T00:10:00+00:00")
    rollups.fold()
    execute("SET LOCAL timezone = 'UTC'")
    hours = DeadLetterHour.objects.order_by("hour").values_list("hour", "letters")
    assert [(f"{hour:%d %H:%M}", letters) for hour, letters in hours] == [("01 23:00", 1), ("02 00:00", 1)]


def test_an_hour_that_nothing_is_left_of_is_cleared_away(letter):
    letter()
    rollups.fold()
    DeadLetter.objects.all().delete()
    rollups.fold()
    rollups.tidy()
    assert not DeadLetterHour.objects.exists()
    assert rollups.check() == []


def test_a_producer_needs_no_right_but_to_insert():
    execute("CREATE ROLE producer_of_counts")
    execute("GRANT INSERT ON dlq_events TO producer_of_counts")
    execute("GRANT USAGE ON SEQUENCE dlq_events_id_seq TO producer_of_counts")
    execute("SET LOCAL ROLE producer_of_counts")
    execute(INSERT.format("'a', 'Refused: no', 'q'"))
    execute("RESET ROLE")
    assert counted(queue="q") == {"PENDING": 1}
    assert FailureGroup.objects.get().error_class == "Refused"


def test_a_shadow_table_gets_nothing_of_it(letter):
    execute("CREATE TEMP TABLE dead_letter_deltas (LIKE public.dead_letter_deltas) ON COMMIT DROP")
    letter()
    assert rows("SELECT count(*) FROM public.dead_letter_deltas")[0][0] == 1


class TestRevivals:
    @pytest.fixture
    def revived(self, letter):
        ids = [letter(status="REVIVED", operation_id=7) for _ in range(4)]
        return [DeadLetter.objects.filter(pk=pk) for pk in ids]

    def test_what_came_back_and_what_stayed_away_is_known(self, revived):
        revived[0].update(status="SUCCEEDED")
        revived[1].update(status="PENDING")
        revived[2].update(status="EXHAUSTED")
        for _ in range(2):
            assert rollups.revival_outcome(7) == (1, 2)
            rollups.fold()

    def test_an_undo_is_not_an_outcome(self, revived):
        revived[0].update(status="PENDING", operation_id=8)
        revived[1].update(status="REVIVED", version=9)
        assert rollups.revival_outcome(7) == rollups.revival_outcome(8) == (0, 0)


class TestRegression:
    @pytest.fixture
    def resolved(self, letter):
        letter(source="s", source_key="1")
        FailureGroup.objects.update(state="resolved", state_changed_at="2026-01-01T00:00:00Z")
        return FailureGroup.objects.get().pk

    def state(self):
        return FailureGroup.objects.get().state

    def test_a_new_dead_letter_brings_a_resolved_group_back_and_says_so_once(self, resolved, letter):
        letter()
        letter()
        assert self.state() == "regressed"
        entry = AuditEntry.objects.get(action="regress")
        assert (entry.actor, entry.target) == ("database", f"group:{resolved}")

    def test_one_more_occurrence_does_too(self, resolved):
        DeadLetter.objects.update(occurrences=2)
        assert self.state() == "regressed"

    def test_a_person_who_revives_or_discards_does_not(self, resolved):
        bring_to("REVIVED")
        bring_to("SUCCEEDED")
        assert self.state() == "resolved"

    def test_what_came_while_it_was_being_resolved_is_seen_by_the_next_fold(self, letter):
        letter()
        rollups.fold()
        FailureGroup.objects.update(state="resolved", state_changed_at="2026-01-01T00:00:00Z")
        DeadLetter.objects.update(status="EXHAUSTED")
        assert self.state() == "resolved"
        rollups.fold()
        assert self.state() == "regressed"


class TestCommand:
    def test_what_was_written_behind_the_triggers_is_found_and_put_right(self, letter, capsys):
        letter()
        letter()
        rollups.fold()
        execute("SET LOCAL session_replication_role = replica")
        DeadLetter.objects.filter(pk=DeadLetter.objects.first().pk).update(status="DISCARDED")
        execute("SET LOCAL session_replication_role = origin")
        assert counted() == {"PENDING": 2}
        with pytest.raises(CommandError, match="differ from the truth"):
            call_command("rollups", "check", "--json")
        wrong = json.loads(capsys.readouterr().out)["differences"]
        assert {(row["status"], row["letters"], row["counted"]) for row in wrong} == {
            ("PENDING", 1, 2),
            ("DISCARDED", 1, 0),
        }
        call_command("rollups", "rebuild")
        call_command("rollups", "check")
        assert capsys.readouterr().out.endswith("The figures are true.\n")
        assert counted() == {"PENDING": 1, "DISCARDED": 1}

    def test_fold_says_what_it_moved(self, letter, capsys):
        letter()
        call_command("rollups", "fold", "--json")
        assert json.loads(capsys.readouterr().out) == {"moved": 1}


@pytest.mark.django_db(transaction=True)
class TestSideBySide:
    def test_an_uncommitted_writer_of_a_new_group_blocks_nobody(self):
        with sessions.own_connection() as one, sessions.own_connection() as other:
            other.execute("SET lock_timeout = '1s'")
            with one.transaction():
                one.execute(INSERT.format("'a', 'Refused: no', 'q'"))
                other.execute(INSERT.format("'a', 'Refused: no', 'q'"))
                other.execute("UPDATE dlq_events SET status = 'DISCARDED'")
                assert counted() == {"DISCARDED": 1}
                execute("SET lock_timeout = '1s'")
                assert rollups.fold() == 3
                rollups.tidy()
                execute("RESET lock_timeout")
            assert counted() == {"DISCARDED": 1, "PENDING": 1}
        assert FailureGroup.objects.count() == 1
        assert rollups.check() == []

    def test_a_group_whose_first_writer_rolled_back_gets_its_row_from_the_fold(self):
        with (
            sessions.own_connection() as one,
            sessions.own_connection() as other,
            one.transaction(force_rollback=True),
        ):
            one.execute(INSERT.format("'a', 'Refused: no', 'q'"))
            other.execute(INSERT.format("'a', 'Refused: no', 'q'"))
        assert not FailureGroup.objects.exists()
        rollups.fold()
        assert FailureGroup.objects.get().pk == DeadLetter.objects.get().group_id

    def test_a_rebuild_puts_right_while_others_have_written_and_not_committed(self):
        with sessions.own_connection() as one:
            one.execute(INSERT.format("'a', 'Refused: no', 'q'"))
            rollups.fold()
            DeadLetterCount.objects.update(letters=5)
            with one.transaction():
                one.execute(INSERT.format("'a', 'Refused: no', 'q'"))
                assert len(rollups.rebuild()) == 1
                assert counted() == {"PENDING": 1}
        assert counted() == {"PENDING": 2}
        assert rollups.check() == []

    def test_a_truncate_by_an_old_snapshot_is_refused(self):
        with sessions.own_connection() as one:
            one.execute(INSERT.format("'a', 'Refused: no', 'q'"))
            with pytest.raises(FeatureNotSupported, match="READ COMMITTED"):
                one.execute("BEGIN ISOLATION LEVEL REPEATABLE READ; TRUNCATE dlq_events; COMMIT")
            one.execute("ROLLBACK")
            one.execute("TRUNCATE dlq_events")
        assert rollups.check() == []
