"""Programs of the operating system that tests need: which is taken, and what is said where there is none."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from dlqconsole.system.errors import RuntimeProblem
from tools.system_packages import CHROMIUM, ensure, locate


@pytest.fixture
def has(tmp_path: Path, monkeypatch) -> Callable[..., Path]:
    """has("chromium") is a machine with these browsers and no other program; the folder they are in."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv(CHROMIUM.variable, raising=False)

    def put(*names: str) -> Path:
        for name in names:
            (tmp_path / name).touch(mode=0o755)
        return tmp_path

    return put


def test_the_headless_shell_is_taken_before_the_whole_browser(has):
    folder = has("chromium", "chromium-headless-shell")
    assert ensure(CHROMIUM) == folder / "chromium-headless-shell"


@pytest.mark.parametrize("name", ["chromium", "chromium-browser", "google-chrome"])
def test_a_machine_that_has_another_chromium_needs_no_more(has, name):
    folder = has(name)
    assert ensure(CHROMIUM) == folder / name


def test_a_variable_names_another(has, monkeypatch):
    folder = has("chromium-headless-shell", "of-our-own")
    monkeypatch.setenv(CHROMIUM.variable, str(folder / "of-our-own"))
    assert ensure(CHROMIUM) == folder / "of-our-own"


def test_where_it_cannot_be_installed_one_sentence_says_what_to_do(has, monkeypatch):
    has()  # no apt-get either
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert locate(CHROMIUM) is None
    with pytest.raises(RuntimeProblem) as refusal:
        ensure(CHROMIUM)
    assert str(refusal.value) == (
        "The tests need chromium-headless-shell: install it (apt-get install chromium-headless-shell), "
        "or set DLQ_CHROMIUM to one that is there"
    )
