"""A run that was killed leaves nothing for ever, and a full disk is said before anything begins."""

import signal
import subprocess
import sys
from collections import namedtuple

import pytest

from dlqconsole.system.errors import RuntimeProblem
from tools import temporary_folders, testing

MAKE_ONE = """
from tools.temporary_folders import temporary_folder
folder = temporary_folder("of-a-test-")
(folder / "data").mkdir()
print(folder, flush=True)
input()
"""


@pytest.fixture
def owner(tmp_path, monkeypatch):
    """owner() starts a process with a folder of its own; both."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(temporary_folders.tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(temporary_folders, "MEMORY", tmp_path / "memory")
    started = []

    def start():
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        started.append(subprocess.Popen([sys.executable, "-c", MAKE_ONE], **pipes))
        return started[-1], tmp_path / started[-1].stdout.readline().strip()

    yield start
    for process in started:
        process.kill()
        process.communicate()


def test_what_a_killed_run_left_is_removed_and_nothing_else(owner, tmp_path):
    (_, living), (killed, dead) = owner(), owner()
    (tmp_path / "of-a-test-of-old").mkdir()
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    assert dead.exists()
    temporary_folders.remove_forsaken("of-a-test-")
    assert {path.name for path in tmp_path.iterdir()} == {living.name, "of-a-test-of-old"}
    assert (living / "data").exists()


def test_so_is_what_it_had_in_memory(owner, tmp_path, monkeypatch):
    killed, dead = owner()
    killed.kill()
    killed.wait()
    memory = tmp_path / "memory"
    memory.mkdir()
    dead.rename(memory / dead.name)
    living = temporary_folders.temporary_folder("of-a-test-", memory)
    temporary_folders.remove_forsaken("of-a-test-")
    assert list(memory.iterdir()) == [living]


@pytest.mark.parametrize(("needed", "found"), [(1, True), (1024**6, False)])
def test_databases_are_in_memory_where_there_is_plenty(tmp_path, monkeypatch, needed, found):
    monkeypatch.setattr(temporary_folders, "MEMORY", tmp_path)
    monkeypatch.setattr(temporary_folders, "NEEDED_MEMORY", needed)
    assert temporary_folders.memory_folder() == (tmp_path if found else None)


def test_a_machine_that_has_no_such_place_has_them_on_its_disk(tmp_path, monkeypatch):
    monkeypatch.setattr(temporary_folders, "MEMORY", tmp_path / "nowhere")
    assert temporary_folders.memory_folder() is None


def test_a_full_disk_is_one_sentence_and_nothing_begins(monkeypatch):
    usage = namedtuple("Usage", "free")
    monkeypatch.setattr(temporary_folders.shutil, "disk_usage", lambda _folder: usage(1024**3 + 1))
    monkeypatch.setattr(testing, "remove_forsaken", lambda _prefix: None)
    begun = []
    monkeypatch.setattr(testing, "ensure", begun.append)
    for command in (testing.run_tests, testing.run_quick_tests, testing.run_security_tests):
        with pytest.raises(RuntimeProblem, match=r"has 1\.0 GiB free, and this needs 3: remove something"):
            command([])
    assert begun == []
