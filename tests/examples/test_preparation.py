"""The demo's files are complete, appear whole, and an edited table is never overwritten."""

import shutil

import orjson
import pytest

from examples.flights.__main__ import main
from examples.flights.preparation import prepare

from .flight_data import prepared_directory


@pytest.fixture
def directory(tmp_path, monkeypatch):
    shutil.copytree(prepared_directory(), tmp_path / "flights")
    monkeypatch.delenv("FLIGHTS_DATA_DIR", raising=False)
    monkeypatch.setenv("DLQ_DATA_DIR", str(tmp_path))
    return tmp_path / "flights"


def test_all_events_are_there_once_in_their_order():
    files = sorted((prepared_directory() / "events").iterdir())
    assert len(files) == 25
    events = [orjson.loads(line) for path in files for line in path.read_bytes().splitlines()]
    assert len({(event["source"], event["id"]) for event in events}) == len(events) == 366_213
    assert events[0]["type"] == "aircraft.registered"
    assert events[-1]["id"] == "2013-09-30T12:00:00Z/MQ/3531"


def test_values_have_types_and_na_is_null():
    first = orjson.loads((prepared_directory() / "events" / "0-aircraft-00.jsonl").open("rb").readline())
    assert (first["id"], first["data"]["seats"], first["data"]["speed"]) == ("N10156", 55, None)


def test_preparing_again_changes_nothing_and_says_so(directory, capsys):
    (directory / "planes.csv").write_text("mine")
    before = {path: path.stat().st_mtime_ns for path in directory.rglob("*")}
    assert main(["prepare"]) == 0
    assert capsys.readouterr().out == f"0 files written, the others kept, in {directory}\n"
    assert {path: path.stat().st_mtime_ns for path in directory.rglob("*")} == before


def test_only_what_is_missing_is_written_again(directory):
    lost = [directory / "airports.csv", directory / "events" / "1-weather-01.jsonl"]
    texts = [path.read_bytes() for path in lost]
    for path in lost:
        path.unlink()
    assert prepare(directory) == lost
    assert [path.read_bytes() for path in lost] == texts
    assert not list(directory.rglob(".*"))
