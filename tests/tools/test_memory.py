"""The memory of a machine, and what a container may have of it, of which the less counts."""

from pathlib import Path

import pytest

from dlqconsole.system import memory

GIB = 1024**3
MACHINE = "MemTotal:       8388608 kB\nMemFree:         100 kB\nMemAvailable:    4194304 kB\n"
# what the first version of control groups says where there is no limit
NONE = 0x7FFFFFFFFFFFF000


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A machine of 8 GiB, of which 4 are free; its container's files are the test's to write."""
    (tmp_path / "meminfo").write_text(MACHINE)
    monkeypatch.setattr(memory, "_MACHINE", tmp_path / "meminfo")
    monkeypatch.setattr(memory, "_CONTAINER", tmp_path)
    return tmp_path


def limit(here: Path, most: object, used: object) -> None:
    (here / "memory.max").write_text(f"{most}\n")
    (here / "memory.current").write_text(f"{used}\n")


def limit_by_the_first_version(here: Path, most: object, used: object) -> None:
    (here / "memory").mkdir()
    (here / "memory/memory.limit_in_bytes").write_text(f"{most}\n")
    (here / "memory/memory.usage_in_bytes").write_text(f"{used}\n")


def test_a_machine_says_what_it_has(here):
    assert (memory.whole_memory(), memory.free_memory()) == (8 * GIB, 4 * GIB)


@pytest.mark.parametrize("limited", [limit, limit_by_the_first_version])
@pytest.mark.parametrize(
    ("most", "used", "whole", "free"),
    [
        (3 * GIB, 2 * GIB, 3 * GIB, GIB),
        (7 * GIB, GIB, 7 * GIB, 4 * GIB),
        (NONE, GIB, 8 * GIB, 4 * GIB),
        ("max", GIB, 8 * GIB, 4 * GIB),
        (GIB, 2 * GIB, GIB, 0),
    ],
)
def test_a_container_says_less_or_nothing(here, limited, most, used, whole, free):
    limited(here, most, used)
    assert (memory.whole_memory(), memory.free_memory()) == (whole, free)


def test_where_nobody_says_there_is_none_to_count_on(here):
    (here / "meminfo").unlink()
    assert (memory.whole_memory(), memory.free_memory()) == (0, 0)


def test_this_machine_says():
    assert 0 < memory.free_memory() <= memory.whole_memory()
