"""Adding a plane completes the registry, and its flights pass within a second."""

import shutil
import subprocess
import sys
import time

import pytest

from dlqconsole.processing import Failed, Succeeded, attempt_payload, load_handlers
from examples.flights.__main__ import main

from .flight_data import prepared_directory

ADD = ["add-plane", "n725mq", "--model", 'MD-83, "stretched"', "--seats", "150"]


@pytest.fixture
def planes(tmp_path, monkeypatch):
    for path in prepared_directory().glob("*.csv"):
        shutil.copy(path, tmp_path)
    monkeypatch.setenv("FLIGHTS_DATA_DIR", str(tmp_path))
    return tmp_path / "planes.csv"


def test_a_plane_is_appended_and_nothing_else_changes(planes, capsys):
    before = planes.read_text()
    assert main([*ADD, "--year", "1987", "--manufacturer", "DOUGLAS"]) == 0
    assert planes.read_text() == before + 'N725MQ,1987,NA,DOUGLAS,"MD-83, ""stretched""",NA,150,NA,NA\n'
    assert "N725MQ is now in" in capsys.readouterr().out


def test_its_flights_pass_afterwards(planes):
    registry = load_handlers("examples.flights.handlers")
    with (prepared_directory() / "events" / "2-flights-00.jsonl").open("rb") as file:
        flight = next(line for line in file if b'"N725MQ"' in line and b'"dep_time":null' not in line)
    _, before = attempt_payload(registry, flight, queue="flights", message_id=1)
    assert isinstance(before, Failed)
    assert main(ADD) == 0
    time.sleep(1.1)
    _, after = attempt_payload(registry, flight, queue="flights", message_id=1)
    assert isinstance(after, Succeeded)
    assert after.record["plane"]["seats"] == 150


def test_a_plane_is_added_only_once(planes, capsys):
    assert main(ADD) == 0
    text = planes.read_text()
    assert main(ADD) == 1
    assert planes.read_text() == text
    assert capsys.readouterr().err == "N725MQ is in the planes table already\n"


def test_people_who_add_planes_at_once_all_succeed(planes):
    command = [sys.executable, "-m", "examples.flights", "add-plane", "--model", "A320", "--seats", "1"]
    adding = [subprocess.Popen([*command, f"NX{number}"], stdout=subprocess.DEVNULL) for number in range(6)]
    assert [process.wait(30) for process in adding] == [0] * 6
    assert {line.split(",")[0] for line in planes.read_text().splitlines()[-6:]} == {
        f"NX{n}" for n in range(6)
    }


@pytest.mark.parametrize("wrong", [["", "--seats", "5"], ["N1", "--seats", "0"]])
def test_a_plane_without_a_number_or_seats_is_refused(planes, wrong, capsys):
    assert main(["add-plane", "--model", "x", *wrong]) == 1
    assert capsys.readouterr().err == "a plane needs a tail number and at least one seat\n"


def test_without_the_registry_the_command_says_what_to_do(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("FLIGHTS_DATA_DIR", str(tmp_path))
    assert main(ADD) == 1
    assert "run `python -m examples.flights prepare` first" in capsys.readouterr().err
