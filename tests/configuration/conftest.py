"""An environment of its own for each test."""

import os
from collections.abc import Callable

import pytest

from dlqconsole.configuration.reading import BadSettings, read_settings
from dlqconsole.configuration.settings import NAMES

ENOUGH = {
    "DATABASE_URL": "postgres://somebody@127.0.0.1:1/nothing",
    "SECRET_KEY": "k7Jw2-Zt9qXv4-Ld8nRb5-Hs3yMc6-Pf1gAa0-Eu",
}


@pytest.fixture(autouse=True)
def environment(monkeypatch, tmp_path) -> dict[str, str]:
    """os.environ with the required settings, no other one, and no demo; put back afterwards."""
    plain = {key: value for key, value in os.environ.items() if key not in NAMES}
    fresh = {**plain, **ENOUGH, "DLQ_DATA_DIR": str(tmp_path)}
    monkeypatch.setattr(os, "environ", fresh)
    return fresh


@pytest.fixture
def refusals() -> Callable[[], list[str]]:
    """refusals() are the lines with which the environment stops a start; none when it is good."""

    def lines() -> list[str]:
        try:
            read_settings()
        except BadSettings as error:
            return error.problems
        return []

    return lines
