"""Memory that a process shares with its parent: the calls that it runs, and answers that it has not sent yet.

Nothing of it is lost when the process dies. The process writes all but the recall.
"""

import mmap
import sys
from struct import Struct
from typing import Any

# the notes, where a process writes where it died, stand before it in the same file
NOTES_BYTES = 64 * 1024
ANSWER_BYTES = 64 * 1024
_RECALLED = Struct("=Q")
# how often the answers were sent, and the bytes of those that were not
_STATE = Struct("=II")
_STATE_AT = 8
_SLOT = Struct("=Qd")
_SLOTS_AT = 16
# without a file number of its own, which a handler could write to
_UNTRACKED: dict[str, Any] = {"trackfd": False} if sys.version_info >= (3, 13) else {}


class Board:
    """``slots``: of the calls that run at once, each with its number and the moment when it began."""

    def __init__(self, notes: int, slots: int) -> None:
        self._slots_end = _SLOTS_AT + slots * _SLOT.size
        self._memory = mmap.mmap(notes, board_bytes(slots), offset=NOTES_BYTES, **_UNTRACKED)
        self._generation = self._length = 0

    def begin(self, slot: int, number: int, moment: float) -> None:
        """Note that a call begins. Numbers are never 0."""
        _SLOT.pack_into(self._memory, _SLOTS_AT + slot * _SLOT.size, number, moment)

    def end(self, slot: int) -> None:
        """Note that nothing runs in the slot."""
        _SLOT.pack_into(self._memory, _SLOTS_AT + slot * _SLOT.size, 0, 0.0)

    def begun(self) -> dict[int, tuple[int, float]]:
        """Return what runs: by number, its slot and when it began."""
        slots = enumerate(_SLOT.iter_unpack(self._memory[_SLOTS_AT : self._slots_end]))
        return {number: (slot, moment) for slot, (number, moment) in slots if number}

    def recall(self, last: int) -> None:
        """Let the process begin nothing more of what it was given, up to this number."""
        _RECALLED.pack_into(self._memory, 0, last)

    def recalled(self) -> int:
        """Return the last number that is to be given back if it has not begun."""
        number: int = _RECALLED.unpack_from(self._memory)[0]
        return number

    def add(self, answer: bytes) -> bool:
        """Keep an answer here until it is sent; False where it has no room."""
        at = self._slots_end + self._length
        if self._length + len(answer) > ANSWER_BYTES:
            return False
        self._memory[at : at + len(answer)] = answer
        self._length += len(answer)
        self._note_state()
        return True

    @property
    def unsent_bytes(self) -> int:
        """The length of the answers that wait."""
        return self._length

    def unsent(self) -> bytes:
        """Return the answers that wait."""
        return self._memory[self._slots_end : self._slots_end + self._length]

    def forget(self) -> None:
        """They were sent."""
        self._generation = (self._generation + 1) % 2**32
        self._length = 0
        self._note_state()

    def peek(self) -> bytes:
        """Return the answers that wait, as the parent sees them: none, if just then they are sent."""
        generation, length = _STATE.unpack_from(self._memory, _STATE_AT)
        answers = self._memory[self._slots_end : self._slots_end + length]
        return answers if _STATE.unpack_from(self._memory, _STATE_AT)[0] == generation else b""

    def close(self) -> None:
        """Let go of the memory."""
        self._memory.close()

    def _note_state(self) -> None:
        _STATE.pack_into(self._memory, _STATE_AT, self._generation, self._length)


def board_bytes(slots: int) -> int:
    """Return the size of a board."""
    return _SLOTS_AT + slots * _SLOT.size + ANSWER_BYTES
