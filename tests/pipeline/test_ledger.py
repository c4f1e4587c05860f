"""The ledger of files: what is done is not read again, what is another file is, and a doubt means read."""

import os
import shutil

import pytest

from .conftest import here
from .hostile import event
from .packed import PACKERS

pytestmark = pytest.mark.django_db(transaction=True)


def plain(first: int, last: int, filler: int = 60) -> bytes:
    """Lines that do not name themselves."""
    return b"".join(b'{"order_id": %d, "filler": "%s"}\n' % (n, b"x" * filler) for n in range(first, last))


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "in"
    made.mkdir()
    return made


@pytest.fixture
def stored(rows):
    """Return how many events there are."""

    def count() -> int:
        [found] = rows(
            "SELECT (SELECT count(*) FROM dlq_events) + (SELECT count(*) FROM enriched_events) AS n"
        )
        return found["n"]

    return count


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch):
    """A change shows at once here: no test writes twice within one tick of the disk's clock."""
    monkeypatch.setattr("dlqconsole.pipeline.sources.progress.SETTLED_NS", -(10**12))


def test_what_is_done_is_not_read_again(ingest_folder, folder, stored, rows):
    (folder / "orders.jsonl").write_bytes(plain(0, 20))
    (folder / "more.jsonl.zst").write_bytes(PACKERS["zst"](plain(0, 10)))
    assert ingest_folder(folder)["read"] == 30
    again = ingest_folder(folder)
    assert (again.get("read"), again["files_done_before"]) == (None, 2)
    assert again["said"] == "2 files done before"
    anew = ingest_folder(folder, again=True)
    assert (anew["read"], anew["unchanged"]) == (30, 30)
    rows("TRUNCATE ingested_files")
    assert ingest_folder(folder)["unchanged"] == 30
    assert stored() == 30
    assert len(rows("SELECT * FROM ingested_files")) == 2


def test_a_grown_file_is_read_from_where_it_was(ingest_folder, folder, stored):
    log = folder / "orders.jsonl"
    log.write_bytes(plain(0, 20) + b'{"order_id"')
    assert ingest_folder(folder)["read"] == 21
    with log.open("ab") as opened:
        opened.write(b": 20}\n" + plain(21, 25))
    # the line that was open is another one now
    assert ingest_folder(folder)["read"] == 5
    assert stored() == 26


def test_the_open_last_line_of_a_packed_file_is_read_once_more(ingest_folder, folder, stored):
    packed = folder / "orders.jsonl.zst"
    packed.write_bytes(PACKERS["zst"](plain(0, 20) + b'{"order_id": 20}'))
    ingest_folder(folder)
    os.utime(packed)
    counts = ingest_folder(folder)
    assert (counts["read"], counts["unchanged"], stored()) == (1, 1, 21)


def test_a_file_that_was_touched_is_looked_through_and_not_read(ingest_folder, folder):
    log = folder / "orders.jsonl"
    log.write_bytes(plain(0, 20))
    ingest_folder(folder)
    os.utime(log)
    assert ingest_folder(folder).get("read") is None
    assert ingest_folder(folder)["files_done_before"] == 1


@pytest.mark.parametrize("keep_time", [False, True])
def test_another_file_of_the_same_name_and_size_is_read(ingest_folder, folder, stored, keep_time):
    log, new = folder / "orders.jsonl", folder / "new"
    log.write_bytes(plain(10, 20))
    ingest_folder(folder)
    before = os.stat(log)
    new.write_bytes(plain(20, 30))
    new.replace(log)
    if keep_time:
        os.utime(log, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert ingest_folder(folder)["read"] == 10
    assert stored() == 20


def test_a_file_that_was_written_over_in_its_place_is_read(ingest_folder, folder, stored):
    log = folder / "orders.jsonl"
    log.write_bytes(plain(10, 20))
    ingest_folder(folder)
    before = os.stat(log)
    with log.open("r+b") as opened:
        opened.write(plain(20, 25))
    os.utime(log, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert os.stat(log).st_ino == before.st_ino
    counts = ingest_folder(folder)
    assert (counts["read"], counts["unchanged"]) == (10, 5)
    assert stored() == 15


def test_a_truncated_file_is_read_from_its_start(ingest_folder, folder, stored):
    log = folder / "orders.jsonl"
    log.write_bytes(plain(0, 20))
    ingest_folder(folder)
    log.write_bytes(plain(50, 55))
    assert ingest_folder(folder)["dead_lettered"] == 5
    log.write_bytes(plain(50, 55)[:-30])
    ingest_folder(folder)
    assert stored() == 26


def test_a_rotated_file_is_known_under_its_new_name(ingest_folder, folder, stored):
    """Renamed, grown and packed: its lines are the same events, named as they were first."""
    log, one, two = (folder / name for name in ("orders.jsonl", "orders.jsonl.1", "orders.jsonl.2.gz"))
    log.write_bytes(plain(0, 20))
    ingest_folder(folder)
    log.rename(one)
    log.write_bytes(plain(20, 30))
    assert ingest_folder(folder)["read"] == 10
    with one.open("ab") as opened:  # a writer that has not noticed yet
        opened.write(plain(100, 103))
    assert ingest_folder(folder)["read"] == 3
    two.write_bytes(PACKERS["gz"](one.read_bytes()))
    shutil.copystat(one, two)
    one.unlink()
    log.rename(one)
    log.write_bytes(plain(30, 31))
    assert ingest_folder(folder)["read"] == 1
    assert stored() == 34
    # of what the lines are named by, the ledger is the only witness; they do not name themselves
    assert ingest_folder(folder)["files_done_before"] == 3


def test_a_log_that_is_copied_away_and_emptied_is_known(ingest_folder, folder, stored):
    log, one = folder / "orders.jsonl", folder / "orders.jsonl.1"
    log.write_bytes(plain(0, 20))
    ingest_folder(folder)
    with log.open("ab") as opened:
        opened.write(plain(20, 22))
    one.write_bytes(log.read_bytes())
    log.write_bytes(plain(30, 31))
    assert ingest_folder(folder)["read"] == 3
    assert stored() == 23


def test_two_files_that_are_alike_are_two(ingest_folder, folder, stored):
    """A copy, and a new day's file of the same bytes: nobody may take one for the other."""
    (folder / "orders-20261121.jsonl").write_bytes(plain(0, 30))
    ingest_folder(folder)
    shutil.copy2(folder / "orders-20261121.jsonl", folder / "copy.jsonl")
    assert ingest_folder(folder)["dead_lettered"] == 30
    (folder / "orders-20261121.jsonl").unlink()
    (folder / "orders-20261122.jsonl.gz").write_bytes(PACKERS["gz"](plain(0, 30)))
    assert ingest_folder(folder)["dead_lettered"] == 30
    (folder / "elsewhere").mkdir()
    shutil.copy2(folder / "copy.jsonl", folder / "elsewhere" / "copy.jsonl")
    assert ingest_folder(folder / "elsewhere")["read"] == 30
    assert stored() == 90


def test_small_files_whose_inode_is_used_again_are_two(ingest_folder, folder, stored):
    (folder / "ping-1.jsonl").write_bytes(b'{"ping": 1}\n')
    ingest_folder(folder)
    os.rename(folder / "ping-1.jsonl", folder / "ping-2.jsonl")  # the surest way to the same inode
    (folder / "ping-2.jsonl").write_bytes(b'{"ping": 1}\n{"ping": 2}\n')
    assert ingest_folder(folder)["read"] == 2
    assert stored() == 3


class Killed(BaseException):
    """The driver is no more."""


def test_what_a_killed_run_had_done_is_not_read_again(ingest_folder, folder, stored, rows):
    (folder / "orders.jsonl").write_bytes(plain(0, 400, filler=30_000))
    read = []

    def compute(function, values):
        if not hasattr(function, "func"):
            return here(function, values)
        # the second piece and the third are done, the others never began
        read.extend(map(function, values[1:3]))
        raise Killed

    with pytest.raises(Killed):
        ingest_folder(folder, compute=compute)
    done = sum(sum(one.tally.values()) for one in read)
    assert 0 < done == stored()
    assert len(rows("SELECT * FROM ingested_files")) == 2
    assert ingest_folder(folder)["read"] == 400 - done
    assert stored() == 400
    assert len(rows("SELECT * FROM ingested_files")) == 1


def test_what_was_read_before_the_ledger_was_written_costs_nothing_but_time(
    ingest_folder, folder, stored, rows
):
    (folder / "orders.jsonl").write_bytes(plain(0, 20) + event("1") + b"\n")

    def compute(function, values):
        found = here(function, values)
        if hasattr(function, "func"):
            rows("TRUNCATE ingested_files")
            raise Killed
        return found

    with pytest.raises(Killed):
        ingest_folder(folder, compute=compute)
    assert ingest_folder(folder)["unchanged"] == 21
    assert stored() == 21


def test_a_watcher_goes_on_where_another_was(ingest_folder, folder, stored):
    log, one = folder / "orders.jsonl", folder / "orders.jsonl.1"
    log.write_bytes(plain(0, 5) + b'{"half"')

    def grow() -> None:
        with log.open("ab") as opened:
            opened.write(b": 1}\n" + plain(6, 8))

    def rotate() -> None:
        log.rename(one)
        log.write_bytes(plain(8, 9))

    def write_over() -> None:
        log.write_bytes(plain(20, 30))

    first = ingest_folder(folder, between=[grow, rotate, write_over])
    # what had grown since it was written down is read once more under its new name, and known
    assert (first["read"], first["unchanged"]) == (22, 3)
    assert stored() == 19
    again = ingest_folder(folder, between=[lambda: None])
    assert again.get("read") is None
    with log.open("ab") as opened:
        opened.write(plain(30, 31))
    assert ingest_folder(folder, between=[])["read"] == 1
    assert stored() == 20


def test_names_that_are_no_utf_8_are_each_a_file(ingest_folder, folder, stored):
    for number, name in enumerate((b"bad\xff.jsonl", b"bad\xfe.jsonl", "bad\ufffd.jsonl".encode())):
        with open(os.path.join(os.fsencode(folder), name), "wb") as opened:
            opened.write(plain(0, 1))
        ingest_folder(folder)
        assert stored() == number + 1


def test_a_folder_that_is_away_is_waited_for(ingest_folder, folder, stored, capfd):
    (folder / "orders.jsonl").write_bytes(plain(0, 5))
    away = folder.with_name("away")
    steps = [lambda: folder.rename(away), lambda: None, lambda: away.rename(folder)]
    ingest_folder(folder, between=steps)
    assert stored() == 5
    assert capfd.readouterr().out.count("there is no file or folder") == 1


def test_what_nobody_has_seen_for_long_is_forgotten(ingest_folder, folder, rows):
    (folder / "orders.jsonl").write_bytes(plain(0, 5))
    ingest_folder(folder)
    rows("UPDATE ingested_files SET seen_at = now() - interval '89 days'")
    ingest_folder(folder)
    assert rows("SELECT seen_at > now() - interval '1 hour' AS fresh FROM ingested_files") == [
        {"fresh": True}
    ]
    rows("UPDATE ingested_files SET seen_at = now() - interval '91 days'")
    assert ingest_folder(folder)["unchanged"] == 5
