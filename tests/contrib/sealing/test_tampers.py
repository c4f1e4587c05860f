"""The owner of the tables changes the audit log in every way there is: which rows, and what, is found."""

from collections.abc import Callable

import pytest
from django.db import transaction

from dlqconsole.contrib.sealing import seals
from dlqconsole.contrib.sealing.models import AuditSeal
from dlqconsole.contrib.sealing.seals import hash_of, head
from dlqconsole.contrib.sealing.verification import verify
from dlqconsole.engine import audit
from dlqconsole.engine.models import AuditEntry
from tests.contrib.sealing.conftest import as_owner, cover_up, run

pytestmark = pytest.mark.security
LINE = "audit tampers by the tables' owner"
SET = "UPDATE audit_log SET"
COPY = "INSERT INTO audit_log (id, at, actor, action, target) OVERRIDING SYSTEM VALUE"


@pytest.fixture
def rows(sealed) -> list[int]:
    """Three blocks of four rows, with a gap between the first two."""
    made = [*sealed(4)]
    run("SELECT nextval('audit_log_id_seq')")  # as a transaction that was rolled back leaves it
    return [*made, *sealed(4), *sealed(4)]


def change_text(rows: list[int]) -> None:
    run(f"{SET} reason = 'because 9' WHERE id = {rows[1]}")


def change_actor(rows: list[int]) -> None:
    run(f"{SET} actor = 'bob' WHERE id = {rows[5]}")


def change_time(rows: list[int]) -> None:
    run(f"{SET} at = at - interval '1 microsecond' WHERE id = {rows[5]}")


def change_detail(rows: list[int]) -> None:
    run(f"""{SET} detail = '{{"rows": 0}}' WHERE id = {rows[5]}""")


def delete_in_the_middle(rows: list[int]) -> None:
    run(f"DELETE FROM audit_log WHERE id IN ({rows[5]}, {rows[6]})")


def delete_the_newest(rows: list[int]) -> None:
    run(f"DELETE FROM audit_log WHERE id >= {rows[-1]}")


def delete_the_newest_with_their_seal(rows: list[int]) -> None:
    run(f"DELETE FROM audit_log WHERE id >= {rows[8]}", "DELETE FROM audit_seals WHERE number = 3")


def put_into_a_gap(rows: list[int]) -> None:
    run(f"{COPY} VALUES ({rows[3] + 1}, now(), 'ann', 'approve', 'operation:1')")


def put_before_the_first(rows: list[int]) -> None:
    run(f"{COPY} VALUES (-5, now(), 'ann', 'approve', 'operation:1')")


def put_in_far_ahead(rows: list[int]) -> None:
    """The end of all blocks, if its number were believed."""
    run(f"{COPY} VALUES (9223372036854775807, now(), 'ann', 'approve', 'operation:1')")
    audit.record("ann", "discard", "dead_letter:1")
    seals.seal()
    newest = AuditSeal.objects.order_by("number").last()
    assert newest.up_to == AuditEntry.objects.order_by("-pk")[1].pk


def write_with_an_old_date(rows: list[int]) -> None:
    run("INSERT INTO audit_log (at, actor, action, target) VALUES (now() - interval '2 days', 'a', 'b', 'c')")
    seals.seal()


def swap_two(rows: list[int]) -> None:
    run(
        f"{SET} (actor, target, reason) = (SELECT actor, target, reason FROM audit_log o"
        f" WHERE o.id = {rows[5] + rows[6]} - audit_log.id) WHERE id IN ({rows[5]}, {rows[6]})"
    )


def swap_the_numbers(rows: list[int]) -> None:
    run(
        f"{SET} id = -1 WHERE id = {rows[0]}",
        f"{SET} id = {rows[0]} WHERE id = {rows[1]}",
        f"{SET} id = {rows[1]} WHERE id = -1",
    )


def make_the_chain_anew(rows: list[int]) -> None:
    """With every hash right, under the best key that is to be had in the database."""
    run(f"{SET} reason = 'because 9' WHERE id = {rows[1]}")
    _seal_anew("a guess")


def make_the_chain_anew_in_our_name(rows: list[int]) -> None:
    name = seals.sealing_key().name
    make_the_chain_anew(rows)
    run(f"UPDATE audit_seals SET key_name = '{name}'")


def truncate(rows: list[int]) -> None:
    run("TRUNCATE audit_log RESTART IDENTITY", "TRUNCATE audit_seals")


def truncate_and_begin_again(rows: list[int]) -> None:
    truncate(rows)
    for _ in range(3):
        audit.record("ann", "discard", "dead_letter:1")
        seals.seal()


def restore_an_older_backup(rows: list[int]) -> None:
    run(f"DELETE FROM audit_log WHERE id > {rows[3]}", "DELETE FROM audit_seals WHERE number > 1")
    audit.record("ann", "discard", "dead_letter:1")
    seals.seal()


def change_a_seal(rows: list[int]) -> None:
    run("UPDATE audit_seals SET at = at - interval '1 day' WHERE number = 2")


def take_out_a_seal(rows: list[int]) -> None:
    run("DELETE FROM audit_seals WHERE number = 2")


def drop_a_column(rows: list[int]) -> None:
    run("ALTER TABLE audit_log DROP COLUMN reason")


def _seal_anew(guess: str) -> None:
    key = seals._key(guess)
    AuditSeal.objects.all().delete()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(seals, "sealing_key", lambda: key)
        seals.seal()


# what is done, and how the sentence begins that names it; r1 is the second row
TAMPERS: dict[Callable[[list[int]], None], str] = {
    change_text: "row {r1} was changed: reason",
    change_actor: "row {r5} was changed: actor",
    change_time: "row {r5} was changed: at",
    change_detail: "row {r5} was changed: detail",
    delete_in_the_middle: "rows {r5} to {r6} are gone",
    delete_the_newest: "row {r11} is gone",
    delete_the_newest_with_their_seal: "seal 3 was there, and is gone",
    put_into_a_gap: "row {gap} was put in after its block was sealed",
    put_before_the_first: "row -5 was put in after its block was sealed",
    put_in_far_ahead: "row 9,223,372,036,854,775,807 was put in by hand",
    write_with_an_old_date: "row {next} says ",
    swap_two: "row {r5} was changed: target, reason",
    swap_the_numbers: "row {r0} was changed: at, target, reason",
    make_the_chain_anew: "seal 1 is forged, or made with a key that",
    make_the_chain_anew_in_our_name: "seal 1 was changed, or forged",
    truncate: "seal 3 was there, and is gone",
    truncate_and_begin_again: "seal 3 is another one than was noted",
    restore_an_older_backup: "seal 3 was there, and is gone",
    change_a_seal: "seal 2 was changed, or forged",
    take_out_a_seal: "seals 2 to 2 are gone",
    drop_a_column: "audit_log has no column reason any more",
}


def test_every_tamper_is_found_and_named(rows, scorecard):
    noted = head(AuditSeal.objects.get(number=3))
    assert verify(noted).problems == []
    places = {f"r{n}": f"{row:,}" for n, row in enumerate(rows)} | {"gap": f"{rows[3] + 1:,}"}
    unfound = {}
    for tamper, words in TAMPERS.items():
        with as_owner():
            tamper(rows)
            cover_up()
            problems = verify(noted).problems
            newest = AuditEntry.objects.values_list("pk", flat=True).order_by("-pk").first()
            places["next"] = f"{newest or 0:,}"
        if not any(problem.startswith(words.format(**places)) for problem in problems):
            unfound[tamper.__name__] = problems
    scorecard(LINE, tried=len(TAMPERS), broke=[f"{name}: {said}" for name, said in unfound.items()])
    assert verify(noted).problems == []


ALTER = "ALTER TABLE audit_log"
# No row is touched: what is done to the tables, and the sentence that names it.
DISGUISES = {
    f"{ALTER} ENABLE ROW LEVEL SECURITY": "audit_log has row security, which hides rows",
    f"{ALTER} FORCE ROW LEVEL SECURITY": "audit_log has row security, which hides rows",
    "CREATE POLICY seen ON audit_log USING (id <> 1)": "audit_log has a policy: seen",
    "CREATE RULE kept AS ON INSERT TO audit_log WHERE new.actor = 'bob' DO INSTEAD NOTHING":
        "audit_log has a rule: kept",
    f"{ALTER} RENAME TO kept": "there is no table public.audit_log any more",
    f"{ALTER} RENAME TO kept; CREATE VIEW audit_log AS SELECT * FROM kept WHERE id > 3":
        "public.audit_log is a view, and no ordinary table",
    f"{ALTER} RENAME TO kept; CREATE MATERIALIZED VIEW audit_log AS SELECT * FROM kept":
        "public.audit_log is a materialized view, and no ordinary table",
    "CREATE SCHEMA near; CREATE TABLE near.audit_log (LIKE audit_log); SET LOCAL search_path = near, public":
        "audit_log is another table than public.audit_log: by the search_path of this session",
    "CREATE TEMPORARY VIEW audit_seals AS SELECT * FROM public.audit_seals;"
    " SET LOCAL search_path = pg_temp, public":
        "audit_seals is another table than public.audit_seals: by the search_path of this session",
    "CREATE TABLE more () INHERITS (audit_log)": "audit_log inherits, from or to more",
    f"{ALTER} SET UNLOGGED": "audit_log is not kept when the server crashes: it is UNLOGGED",
    f"{ALTER} RENAME COLUMN reason TO because": "audit_log has no column reason any more",
    "ALTER TABLE audit_seals DROP COLUMN marks": "audit_seals has no column marks any more",
    f"{ALTER} DISABLE TRIGGER audit_log_refuse":
        "the trigger audit_log_refuse of audit_log is not ENABLE ALWAYS",
    "ALTER TABLE audit_seals ENABLE TRIGGER audit_seals_refuse_truncate":
        "the trigger audit_seals_refuse_truncate of audit_seals is not ENABLE ALWAYS",
    "DROP TRIGGER audit_seals_refuse ON audit_seals":
        "audit_seals has no trigger audit_seals_refuse any more",
    "CREATE OR REPLACE TRIGGER audit_log_refuse BEFORE UPDATE OR DELETE ON audit_log FOR EACH ROW"
    " WHEN (old.id < 0) EXECUTE FUNCTION audit_log_refuse()":
        "the trigger audit_log_refuse of audit_log was changed",
    "CREATE TRIGGER dropped BEFORE INSERT ON audit_log FOR EACH ROW"
    " EXECUTE FUNCTION suppress_redundant_updates_trigger()":
        "audit_log has a trigger that is not ours: dropped",
    "CREATE OR REPLACE FUNCTION audit_log_refuse() RETURNS trigger LANGUAGE plpgsql"
    " AS 'BEGIN RETURN new; END'":
        "the function audit_log_refuse() was changed, or is gone",
}  # fmt: skip


def test_tables_that_show_less_are_found_and_named(rows, scorecard):
    unfound = {}
    for disguise, sentence in DISGUISES.items():
        with transaction.atomic():
            run(disguise)
            problems = verify().problems
            transaction.set_rollback(True)
        if sentence not in problems:
            unfound[disguise] = problems
    scorecard("disguises of the audit log's tables", tried=len(DISGUISES), broke=[*map(str, unfound.items())])
    assert verify().problems == []


def test_the_hash_of_a_seal_covers_each_of_its_columns(rows):
    seal = AuditSeal.objects.get(number=2)
    for field in AuditSeal._meta.get_fields():
        if field.name == "hash":
            continue
        other = AuditSeal.objects.get(number=2)
        value = getattr(other, field.name)
        changes = {str: "other", int: 99, list: ["other"], bytes: b"other"}
        setattr(other, field.name, changes.get(type(value), seal.at.replace(year=2001)))
        assert hash_of(other, seals.sealing_key()) != seal.hash, field.name
