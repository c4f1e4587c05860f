"""An environment of our own for each test."""

import os
from collections.abc import Callable

import pytest

from dlqconsole.configuration.reading import BadSettings, read_settings
from dlqconsole.configuration.setting import Reader
from dlqconsole.configuration.table import TABLE

ENOUGH = {
    "DATABASE_URL": "postgres://somebody@127.0.0.1:1/nothing",
    "SECRET_KEY": "k7Jw2-Zt9qXv4-Ld8nRb5-Hs3yMc6-Pf1gAa0-Eu",
}


@pytest.fixture(autouse=True)
def environment(monkeypatch, tmp_path) -> dict[str, str]:
    """os.environ with what every process needs, no other setting, and no demo; put back afterwards."""
    plain = {key: value for key, value in os.environ.items() if key not in {row.name for row in TABLE}}
    fresh = {**plain, **ENOUGH, "DLQ_DATA_DIR": str(tmp_path)}
    monkeypatch.setattr(os, "environ", fresh)
    return fresh


@pytest.fixture(params=[Reader.DJANGO, Reader.PIPELINE], ids=["web", "pipeline"])
def reader(request) -> Reader:
    """Each kind of process that checks its settings."""
    return request.param


@pytest.fixture
def refusal(environment) -> Callable[[str, str], str]:
    """refusal("PORT", "x") is the one sentence with which that value stops the start."""

    def said(name: str, value: str) -> str:
        environment[name] = value
        with pytest.raises(BadSettings) as refused:
            read_settings(Reader.DJANGO)
        (sentence,) = refused.value.problems
        return sentence

    return said
