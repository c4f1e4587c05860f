"""Packed files: known by their first bytes, never by their names; read as the bytes that are in them."""

import bz2
import gzip
import io
import zlib
from collections.abc import Buffer, Iterator
from typing import IO

_BLOCK = 1024 * 1024
# zst of gz of …: so deep and no deeper
_MOST_LAYERS = 4

GZIP, BZIP2, ZSTD = "gzip", "bzip2", "zstd"
_ZSTD_SKIPPABLE = tuple(bytes([low]) + b"\x2a\x4d\x18" for low in range(0x50, 0x60))
_PACKED = ((b"\x1f\x8b", GZIP), (b"BZh", BZIP2), (b"\x28\xb5\x2f\xfd", ZSTD))
_FOREIGN = (
    (b"\xfd7zXZ\x00", "xz"),
    (b"PK\x03\x04", "a zip archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"PAR1", "Parquet"),
    (b"Obj\x01", "Avro"),
    (b"ORC", "ORC"),
)
_HEAD_BYTES = 512
_NAMED = {".gz": GZIP, ".gzip": GZIP, ".zst": ZSTD, ".zstd": ZSTD, ".bz2": BZIP2}


class NotLines(Exception):
    """The file's content cannot be read as lines; the sentence says why."""


def packing_of(head: bytes) -> str:
    """Return by which means a file that begins so is packed; empty where it is not."""
    if head.startswith(_ZSTD_SKIPPABLE):
        return ZSTD
    return next((kind for magic, kind in _PACKED if head.startswith(magic)), "")


def unpack(file: IO[bytes], name: str) -> tuple[IO[bytes], bool]:
    """Return an open file's content, layer by layer, and whether it was packed. Raises NotLines, OSError."""
    head = _peek(file)
    kind_by_name = next((kind for ending, kind in _NAMED.items() if name.lower().endswith(ending)), "")
    packing = packing_of(head)
    if kind_by_name and head and not packing:
        raise NotLines(f"it is named {name[name.rfind('.') :]} and is not {kind_by_name}")
    inner, layers = file, 0
    while packing:
        if (layers := layers + 1) > _MOST_LAYERS:
            raise NotLines(f"it is packed more than {_MOST_LAYERS} times")
        inner = io.BufferedReader(_UnpackedStream(inner, packing), _BLOCK)
        head = inner.peek(_HEAD_BYTES)
        packing = packing_of(head)
    _refuse_foreign(head)
    return inner, layers > 0


def _peek(file: IO[bytes]) -> bytes:
    head = file.read(_HEAD_BYTES)
    file.seek(0)
    return head


def _refuse_foreign(head: bytes) -> None:
    for magic, words in _FOREIGN:
        if head.startswith(magic) and (b"\x00" in head or words in ("Parquet", "a zip archive")):
            raise NotLines(f"it is {words}, and no file of lines")
    if head[257:262] == b"ustar":
        raise NotLines("it is a tar archive, and no file of lines")
    if head.startswith((b"\xff\xfe", b"\xfe\xff")) and b"\x00" in head:
        raise NotLines("it is UTF-16, and only UTF-8 is read")


class _UnpackedStream(io.RawIOBase):
    """The bytes in a packed stream. One that ends early or goes on as something else raises NotLines."""

    def __init__(self, file: IO[bytes], packing: str) -> None:
        self._packing, self._size, self._rest = packing, 0, b""
        self._blocks = _BLOCKS[packing](file)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Buffer) -> int:
        while not self._rest:
            block = self._next()
            if block is None:
                return 0
            self._rest = block
        room = memoryview(buffer)
        size = min(len(room), len(self._rest))
        room[:size], self._rest = self._rest[:size], self._rest[size:]
        return size

    def _next(self) -> bytes | None:
        try:
            block = next(self._blocks, None)
        except (EOFError, OSError, zlib.error, ValueError) as error:
            if isinstance(error, OSError) and error.errno:
                raise  # the disk, not what is on it
            raise NotLines(self._problem(error)) from error
        self._size += len(block or b"")
        return block

    def _problem(self, error: Exception) -> str:
        where = f"{self._size:,} bytes into what it holds"
        if isinstance(error, EOFError) or "runcated" in str(error):
            return f"truncated {self._packing}: it ends early, {where}"
        return f"broken {self._packing}: {str(error)[:200]}, {where}"


def _gzip_blocks(file: IO[bytes]) -> Iterator[bytes]:
    with gzip.open(file) as stream:
        # read() would keep to itself what it has, where the rest is missing
        while block := stream.read1(_BLOCK):
            yield block


class _Lent:
    """A stream for a library that would close it."""

    closed = False

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream

    def read(self, size: int = -1) -> bytes:
        return self._stream.read(size)

    def close(self) -> None:
        """Do nothing: whoever lent it closes it."""


def _zstd_blocks(file: IO[bytes]) -> Iterator[bytes]:
    import pyarrow  # late: the driver needs none of it

    stream = pyarrow.CompressedInputStream(pyarrow.PythonFile(_Lent(file), mode="r"), ZSTD)
    while block := stream.read(_BLOCK):
        yield block


def _bzip2_blocks(file: IO[bytes]) -> Iterator[bytes]:
    """The standard library would take what follows the last stream for nothing."""
    stream, data, is_open = bz2.BZ2Decompressor(), file.read(_BLOCK), False
    while data:
        is_open = True
        yield stream.decompress(data, _BLOCK)
        while not stream.eof and not stream.needs_input:
            yield stream.decompress(b"", _BLOCK)
        data = stream.unused_data if stream.eof else b""
        data = data or file.read(_BLOCK)
        if stream.eof:
            stream, is_open = bz2.BZ2Decompressor(), False
    if is_open:
        raise EOFError


_BLOCKS = {GZIP: _gzip_blocks, BZIP2: _bzip2_blocks, ZSTD: _zstd_blocks}
