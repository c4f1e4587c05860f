"""Loading the flights ends with one line where it cannot; what it loads is in tests/readme."""

import pytest

from examples.flights.__main__ import main


@pytest.mark.parametrize(
    ("name", "value", "status"),
    [("SPARK_MASTER", "lokal", 2), ("DLQ_HANDLER_TIMEOUT", "0", 2), ("SPARK_DRIVER_MEMORY", "some", 2)],
)
def test_a_wrong_setting_is_a_sentence_before_spark_starts(monkeypatch, capfd, name, value, status):
    monkeypatch.setenv("DLQ_HANDLERS", "examples.flights.handlers")
    monkeypatch.setenv(name, value)
    assert main(["load"]) == status
    out, err = capfd.readouterr()
    assert (out, len(err.splitlines())) == ("", 1)
    assert err.startswith(f"the flights are not loaded: {name} ")
