"""The shared parts of the tests of the demo's handlers."""

import pytest

from examples.flights.handlers import AIRLINES, AIRPORTS, PLANES, WEATHER_BY_HOUR


@pytest.fixture(autouse=True)
def tables_are_looked_at_anew(monkeypatch) -> None:
    """Each test has tables in a folder of its own choice; a look is believed for a second otherwise."""
    for table in (PLANES, AIRPORTS, AIRLINES, WEATHER_BY_HOUR):
        monkeypatch.setattr(table, "_next_look", 0.0)
