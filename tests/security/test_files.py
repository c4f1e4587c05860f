"""Files in a folder are hostile: no link is followed, nothing blocks, nothing outside is read."""

import gzip
import os
import socket
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dlqconsole.console.operations.command_options import text_of
from dlqconsole.pipeline.errors import BadRequest
from dlqconsole.pipeline.running.terminal import Terminal
from dlqconsole.pipeline.sources.files import SourceFile, look_for_files, open_source
from dlqconsole.pipeline.sources.folder import Folder
from dlqconsole.pipeline.sources.survey import Request
from dlqconsole.processing.errors import DependencyError
from dlqconsole.processing.lookups import table
from dlqconsole.processing.plain_files import open_plain
from tests.of_features import of_features

LINE = "files that lead elsewhere or keep one waiting"
SECRET = b'{"secret": "of somebody else"}\n'


@pytest.fixture
def outside(tmp_path) -> Path:
    """A folder beside the one that is read."""
    folder = tmp_path / "outside"
    (folder / "deep").mkdir(parents=True)
    for name in ("secret.jsonl", "deep/secret.jsonl"):
        (folder / name).write_bytes(SECRET)
    (folder / "secret.gz").write_bytes(gzip.compress(SECRET))
    return folder


@pytest.fixture
def inside(tmp_path) -> Path:
    folder = tmp_path / "inside"
    (folder / "sub").mkdir(parents=True)
    (folder / "good.jsonl").write_bytes(b"{}\n")
    (folder / "sub" / "good.jsonl").write_bytes(b"{}\n")
    return folder


@pytest.fixture
def traps(inside, outside, tmp_path) -> Iterator[dict[str, str]]:
    """The files beside two good files, and the sentence about each."""
    links = {
        "file.jsonl": outside / "secret.jsonl",
        "packed.gz": outside / "secret.gz",
        "up.jsonl": "../outside/secret.jsonl",
        "folder": outside,
        "sub/deep": outside / "deep",
        "itself.jsonl": inside / "itself.jsonl",
        "round": inside,
        "gone.jsonl": outside / "gone.jsonl",
        "own.jsonl": inside / "good.jsonl",
        "zero.jsonl": "/dev/zero",
        "memory.jsonl": "/proc/self/mem",
        "chain.jsonl": inside / "file.jsonl",
    }
    for name, target in links.items():
        (inside / name).symlink_to(target)
    os.mkfifo(inside / "pipe.jsonl")
    os.mkfifo(inside / "sub" / "pipe.gz")
    with socket.socket(socket.AF_UNIX) as listener:
        before = os.getcwd()
        os.chdir(inside)  # a socket's path is short
        listener.bind("socket.jsonl")
        os.chdir(before)
        kinds = {"pipe.jsonl": "a named pipe", "sub/pipe.gz": "a named pipe", "socket.jsonl": "a socket"}
        nowhere = dict.fromkeys(("gone.jsonl", "itself.jsonl"), "a symbolic link that leads nowhere")
        yield dict.fromkeys(links, "a symbolic link") | nowhere | kinds


def test_only_what_is_there_itself_is_found_and_the_rest_is_said(inside, traps, scorecard, capsys):
    found = look_for_files(str(inside))
    assert [file.name for file in found.files if not file.problem] == ["good.jsonl", "sub/good.jsonl"]
    said = dict(sentence.split(" is ") for sentence in found.left_alone)
    said |= {file.name: file.problem.removeprefix("it is ") for file in found.files if file.problem}
    Terminal("ingest").say_left_alone(found.left_alone)
    assert "ingest: left alone: sub/pipe.gz is a named pipe\n" in capsys.readouterr().out
    scorecard(
        LINE, tried=len(traps), broke=[name for name, words in traps.items() if said.get(name) != words]
    )


def test_a_watched_folder_says_once_what_it_leaves_alone(inside, traps):
    folder = Folder(str(inside))
    asked = [request.file for request in folder.news(0)]
    assert [file.name for file in asked if not file.problem] == ["good.jsonl", "sub/good.jsonl"]
    assert len(folder.left_alone) + sum(bool(file.problem) for file in asked) == len(traps)
    folder.news(0)
    assert folder.left_alone == []


def swap(path: Path, put: Callable[[Path], object]) -> None:
    """A person's swap between the look and the opening."""
    path.rename(path.with_name("moved away"))
    put(path)


def test_what_is_put_in_its_place_after_the_look_is_not_read(inside, outside, scorecard):
    """Each turn finds the two good files, swaps one, or the folder on the way, and reads."""
    turns: dict[str, tuple[str, Callable[[Path], object]]] = {
        "a link": ("sub/good.jsonl", lambda path: path.symlink_to(outside / "secret.jsonl")),
        "a link to a packed one": ("sub/good.jsonl", lambda path: path.symlink_to(outside / "secret.gz")),
        "a folder that is a link": ("sub", lambda path: path.symlink_to(outside)),
        "a pipe": ("sub/good.jsonl", os.mkfifo),
        "a device": ("sub/good.jsonl", lambda path: path.symlink_to("/dev/zero")),
        "a folder": ("sub/good.jsonl", Path.mkdir),
    }
    (outside / "good.jsonl").write_bytes(SECRET)
    read = []
    for name, (place, put) in turns.items():
        file = look_for_files(str(inside)).files[1]
        swap(inside / place, put)
        read += [
            (name, piece)
            for piece in Request(file).look().pieces
            if "it cannot be read: " not in (piece.problem or "")
        ]
        put_back(inside / place)
    crooked = SourceFile(str(inside / "sub" / ".." / ".." / "outside" / "secret.jsonl"), "x", str(inside))
    with pytest.raises(OSError, match="outside"):
        open_source(crooked)
    scorecard(LINE, tried=len(turns) + 1, broke=read)


def test_a_folder_above_the_named_one_is_not_swapped_for_a_link_either(inside, outside, scorecard):
    """The path goes deep into the folder; any step of it becomes a link after the look."""
    (inside / "sub" / "deep").mkdir()
    for folder in (inside / "sub" / "deep", outside / "sub" / "deep", outside / "deep"):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "good.jsonl").write_bytes(b"{}\n" if folder.is_relative_to(inside) else SECRET)
    read = []
    for place, target in (("sub", outside), ("sub", outside / "sub"), ("sub/deep", outside / "deep")):
        for source in ("sub/deep", "sub/deep/good.jsonl"):
            [file] = look_for_files(str(inside / source), str(inside)).files
            assert Request(file).look().pieces[0].lines == 1
            swap(inside / place, lambda path, target=target: path.symlink_to(target))
            read += [
                (place, piece)
                for piece in Request(file).look().pieces
                if "a symbolic link stands" not in str(piece.problem)
            ]
            with pytest.raises(BadRequest, match="a symbolic link stands"):
                look_for_files(str(inside / source), str(inside))
            put_back(inside / place)
    scorecard(LINE, tried=12, broke=read)


def test_a_folder_that_becomes_a_link_again_and_again_gives_nothing_away(inside, outside, scorecard):
    """One looks and reads, the other swaps, as fast as both can, until each has met the other."""
    (outside / "good.jsonl").write_bytes(SECRET * 3)
    os.symlink(outside, inside / ".link")
    stop = threading.Event()
    swapper = threading.Thread(target=_swap_until, args=(inside, stop))
    swapper.start()
    met, broke = Counter(), []
    try:
        while min(met["read"], met["refused"]) < 50:
            for file in look_for_files(str(inside), str(inside)).files:
                for piece in Request(file).look().pieces if file.name == "sub/good.jsonl" else ():
                    met["refused" if piece.problem else "read"] += 1
                    broke += [piece] if piece.lines != 1 else []
    finally:
        stop.set()
        swapper.join()
    scorecard(LINE, tried=met.total(), broke=broke)


def _swap_until(inside: Path, stop: threading.Event) -> None:
    while not stop.is_set():
        (inside / "sub").rename(inside / ".sub")
        (inside / ".link").rename(inside / "sub")
        (inside / "sub").rename(inside / ".link")
        (inside / ".sub").rename(inside / "sub")


def put_back(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        path.rmdir()
    else:
        path.unlink()
    path.with_name("moved away").rename(path)


def test_a_path_that_is_named_is_read_unless_it_would_be_waited_for(inside, outside, traps, scorecard):
    """A named link means its target; a pipe, a socket and a device are refused at once."""
    assert [file.name for file in look_for_files(str(inside / "file.jsonl")).files] == ["file.jsonl"]
    assert Request(look_for_files(str(inside / "file.jsonl")).files[0]).look().pieces[0].lines == 1
    assert len(look_for_files(str(inside / "folder")).files) == 3
    assert text_of(str(inside / "file.jsonl"), None).encode() == SECRET
    readers: list[tuple[Callable[[str], object], type[Exception]]] = [
        (look_for_files, BadRequest),
        (open_plain, OSError),
        (lambda path: text_of(path, None), OSError),
        *((lambda path, read=read: read(Path(path)), OSError) for read in of_features("read_file")),
        (lambda path: table(path, key="a", directory="/").get("x"), DependencyError),
    ]
    waits = [str(inside / name) for name in ("pipe.jsonl", "socket.jsonl", "zero.jsonl")]
    read = []
    for reader, refusal in readers:
        for path in waits:
            try:
                reader(path)
                read.append(path)
            except refusal:
                continue
    scorecard(LINE, tried=len(readers) * len(waits), broke=read)


def test_names_do_nothing_to_the_terminal(capsys):
    Terminal("ingest").say_left_alone(["a\x1b[31m\u202e\nforged: all is well.jsonl is a symbolic link"])
    said = capsys.readouterr().out
    assert said.count("\n") == 1
    assert said[:-1].isprintable()
