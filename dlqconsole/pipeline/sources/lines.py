"""Lines as bytes, with their numbers. No line is ever held in memory beyond what we keep of it."""

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import IO

KEEP_BYTES = 32 * 1024 * 1024
HEAD_BYTES = 1024 * 1024
_BLOCK = 1024 * 1024
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(slots=True)
class FileLine:
    """One line without its line end. Of one too long to keep: its head, and the sha256 of the whole."""

    number: int
    content: bytes
    size: int
    sha256: str | None = None


def read_lines(
    file: IO[bytes], start: int, end: int | None, number: int, least: int = 0
) -> Iterator[FileLine]:
    """Yield the lines that begin at `start` … `end` (the end of the file when None), blank ones too.

    A line of `least` bytes is kept whole, however many those are. What cannot seek stands at `start`.
    """
    keep = max(KEEP_BYTES, least)
    if start and file.seekable():
        file.seek(start)
    position = start
    while end is None or position < end:
        content = file.readline(keep + 1)
        if not content:
            return
        if len(content) > keep and not content.endswith(b"\n"):
            line = _too_long(file, number, content)
            position += line.size + 1
        else:
            position += len(content)
            content = without_line_end(content)
            line = FileLine(number, content, len(content))
        yield line
        number += 1


def without_line_end(content: bytes) -> bytes:
    """Take away one line feed, with the carriage return before it: that much and no more."""
    if content.endswith(b"\n"):
        return content[:-2] if content.endswith(b"\r\n") else content[:-1]
    return content


def is_blank(line: FileLine) -> bool:
    """Tell whether there is no event on the line."""
    return not line.content or line.content.isspace() or line.content == _BYTE_ORDER_MARK


def _too_long(file: IO[bytes], number: int, head: bytes) -> FileLine:
    digest, size = sha256(head), len(head)
    while not head.endswith(b"\n") and (block := file.readline(_BLOCK)):
        block = block[:-1] if (last := block.endswith(b"\n")) else block
        digest.update(block)
        size += len(block)
        if last:
            break
    return FileLine(number, head[:HEAD_BYTES], size, digest.hexdigest())
