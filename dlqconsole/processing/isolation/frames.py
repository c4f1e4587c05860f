"""Frames on a socket between two of our processes: a length, a kind, a number, and a pickled value."""

import pickle
import socket
from struct import Struct
from typing import Any

_HEADER = Struct("=IBd")
READ_BYTES = 1 << 17
# Our frames are shorter, and their kinds smaller. Text, read as a header, is longer or a larger kind.
_TOO_LONG, _LARGEST_KIND = 1 << 29, 15

type Frame = tuple[int, float, memoryview]


def pickle_body(value: object) -> bytes:
    """The body of a frame. Raises what pickling raises."""
    return pickle.dumps(value, pickle.HIGHEST_PROTOCOL)


def frame_bytes(kind: int, number: float, body: bytes) -> bytes:
    """The bytes of one frame."""
    return _HEADER.pack(len(body), kind, number) + body


def unpickle_body(body: memoryview) -> Any:
    """The value of a frame."""
    return pickle.loads(body)  # noqa: S301  (from a process that we have started)


class Inbox:
    """Puts frames together from what a socket gives."""

    def __init__(self) -> None:
        self._bytes = b""

    def frames(self, data: bytes) -> list[Frame]:
        """The frames that are complete with ``data``. Raises ValueError where they are not ours."""
        data = self._bytes + data if self._bytes else data
        view, at = memoryview(data), 0
        complete: list[Frame] = []
        while len(view) - at >= _HEADER.size:
            length, kind, number = _HEADER.unpack_from(view, at)
            if length >= _TOO_LONG or kind > _LARGEST_KIND:
                raise ValueError("this is no frame of ours")
            end = at + _HEADER.size + length
            if end > len(view):
                break
            complete.append((kind, number, view[end - length : end]))
            at = end
        self._bytes = data[at:]
        return complete


def receive(channel: socket.socket, inbox: Inbox) -> Frame | None:
    """Wait for the next frame of a peer that sends one at a time; None when it has closed."""
    while data := channel.recv(READ_BYTES):
        for frame in inbox.frames(data):
            return frame
    return None
