"""A file that is written stands under its name when it is whole, and never in part."""

import os

import pytest

from dlqconsole.console.dead_letters.text import whole_file


def test_what_is_written_stands_there_when_it_is_whole(tmp_path):
    target = tmp_path / "out.csv"
    with whole_file(str(target)) as out:
        out.write(b"one\n")
        assert not target.exists()
    assert target.read_bytes() == b"one\n"
    assert os.listdir(tmp_path) == ["out.csv"]


@pytest.mark.parametrize("ended", [KeyboardInterrupt, OSError, ValueError])
def test_what_ends_in_the_midst_leaves_all_as_it_was(tmp_path, ended):
    target = tmp_path / "out.csv"
    target.write_bytes(b"before\n")
    with pytest.raises(ended):
        _end_in_the_midst(str(target), ended)
    assert target.read_bytes() == b"before\n"
    assert os.listdir(tmp_path) == ["out.csv"]


def _end_in_the_midst(path: str, ended: type[BaseException]) -> None:
    with whole_file(path) as out:
        out.write(b"half")
        raise ended


def test_a_file_that_is_replaced_keeps_who_may_read_it_and_its_links(tmp_path):
    target, link = tmp_path / "out.csv", tmp_path / "link"
    target.write_bytes(b"before\n")
    target.chmod(0o640)
    link.symlink_to(target)
    with whole_file(str(link)) as out:
        out.write(b"now\n")
    assert link.is_symlink()
    assert target.read_bytes() == b"now\n"
    assert target.stat().st_mode & 0o777 == 0o640


def test_a_pipe_is_written_to_as_it_is(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reads = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        with whole_file(str(pipe)) as out:
            out.write(b"one\n")
        assert os.read(reads, 10) == b"one\n"
    finally:
        os.close(reads)


def test_a_descriptor_that_is_open_is_written_to_as_it_is(tmp_path):
    with open(tmp_path / "redirected", "wb") as redirected:
        with whole_file(f"/dev/fd/{redirected.fileno()}") as out:
            out.write(b"one\n")
        assert os.fstat(redirected.fileno()).st_size == 4


def test_a_folder_that_is_not_there_is_refused_by_the_name_that_was_given(tmp_path):
    target = str(tmp_path / "no" / "out.csv")
    with pytest.raises(FileNotFoundError) as refusal, whole_file(target):
        pass
    assert refusal.value.filename == target
