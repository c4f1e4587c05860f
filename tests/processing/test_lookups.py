"""Lookup tables follow their files, and a damaged file never empties them."""

import logging
import os
import pickle

import pytest

from dlqconsole.processing import DependencyError, HandlerSetupError, lookups, table

PLANES = "tailnum,model,seats\nN1,A320,182\nN2,NA,\n"


@pytest.fixture(autouse=True)
def look_at_every_use(monkeypatch):
    monkeypatch.setattr(lookups, "CHECK_EVERY", 0)


@pytest.fixture
def planes(tmp_path):
    path = tmp_path / "planes.csv"
    path.write_text(PLANES)
    return path


def test_rows_are_found_by_key(planes):
    found = table(planes, key="tailnum")
    assert found.get("N1") == {"tailnum": "N1", "model": "A320", "seats": "182"}
    assert found["N2"]["seats"] is None
    assert found.get("N9") is None
    assert "N1" in found
    assert len(found) == 2


def test_cells_become_typed_or_none_as_declared(planes):
    found = table(planes, "tailnum", columns=["model", "seats"], types={"seats": int}, null_values=("", "NA"))
    assert dict(found) == {"N1": {"model": "A320", "seats": 182}, "N2": {"model": None, "seats": None}}


def test_a_key_of_several_columns_is_a_tuple(tmp_path):
    (tmp_path / "weather.tsv").write_text("origin\thour\ttemp\nJFK\t5\t39\n\t6\t40\n")
    found = table("weather.tsv", key=("origin", "hour"), directory=tmp_path)
    assert list(found) == [("JFK", "5")]


def test_json_lines_keep_their_types(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"id": 1, "tags": ["x"]}\n\n{"id": 2}\n')
    assert table("a.jsonl", "id", directory=lambda: tmp_path).get(1) == {"id": 1, "tags": ["x"]}


def test_relative_paths_start_in_the_directory_of_the_environment(planes, monkeypatch):
    monkeypatch.setenv("DLQ_LOOKUPS_DIR", str(planes.parent))
    assert "N1" in table("planes.csv", key="tailnum")


def test_an_edited_file_is_seen_without_a_restart(planes):
    found = table(planes, key="tailnum")
    assert "N3" not in found
    planes.write_text(PLANES + "N3,B737,149\nN1,A321,200\n")
    assert found["N3"]["model"] == "B737"
    assert found["N1"]["model"] == "A321"  # the later line corrects the earlier one


def test_a_file_is_looked_at_once_a_second_at_most(planes, monkeypatch):
    monkeypatch.setattr(lookups, "CHECK_EVERY", 60)
    found = table(planes, key="tailnum")
    assert "N1" in found
    planes.unlink()
    assert "N1" in found


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"tailnum,model,seats\nN1,A3",
        b'tailnum,model,seats\nN1,"A3',
        b"\xff\xfe\n",
        b"other\nx\n",
        b"tailnum,model,seats\nN1,A,x\n",
    ],
)
def test_a_damaged_file_leaves_the_last_good_rows_in_use(planes, damage, caplog):
    found = table(planes, key="tailnum", types={"seats": int})
    assert "N1" in found
    planes.write_bytes(damage)
    with caplog.at_level(logging.WARNING):
        assert "N1" in found
        assert "N1" in found
    assert "is not usable" in caplog.text
    assert "using the last good rows" in caplog.text
    assert len(caplog.records) == 1


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        ("a,b\n1\n", "after line 0: 1 cells where 2 were expected"),
        ("tailnum,seats\nN1,1\nN2,many\n", "after line 3: seats 'many' is not int"),
        ("a,seats\n1,2\n", "line 2 has no column 'tailnum'"),
    ],
)
def test_a_file_that_never_was_good_says_where_it_is_wrong(planes, damage, sentence):
    planes.write_text(damage)
    with pytest.raises(DependencyError, match=sentence):
        table(planes, key="tailnum", types={"seats": int}).get("N1")


def test_a_missing_file_is_a_dependency_and_heals_when_it_comes(planes):
    found = table(planes, key="tailnum")
    planes.unlink()
    with pytest.raises(DependencyError, match=r"lookup file .*planes.csv cannot be read: No such file"):
        found.get("N1")
    planes.write_text(PLANES)
    assert "N1" in found


def test_a_file_replaced_by_renaming_is_seen_even_with_equal_size_and_time(planes):
    found = table(planes, key="tailnum")
    assert "N1" in found
    before = planes.stat()
    fresh = planes.with_name("fresh")
    fresh.write_text(PLANES.replace("N1", "N7"))
    os.utime(fresh, ns=(before.st_atime_ns, before.st_mtime_ns))
    fresh.replace(planes)
    assert "N7" in found


def test_a_table_travels_to_a_worker_without_its_rows(planes):
    found = table(planes, key="tailnum")
    len(found)
    pickled = pickle.dumps(found)
    assert b"A320" not in pickled
    assert "N1" in pickle.loads(pickled)  # noqa: S301  (our own bytes)


@pytest.mark.parametrize(
    ("path", "key"),
    [("planes.xlsx", "a"), ("planes", "a"), ("a.csv", ""), ("a.csv", ()), ("a.csv", ("a", ""))],
)
def test_a_declaration_that_cannot_work_is_refused(path, key):
    with pytest.raises(HandlerSetupError, match="table '"):
        table(path, key=key)
