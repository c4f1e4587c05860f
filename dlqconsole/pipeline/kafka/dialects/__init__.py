"""Dead-letter topics of others: who failed, why and where, from the headers that each of them writes.

A dialect is a module with ``SIGNS``, the beginnings of the names by which it is known, ``PREFIXES``, those
of all its headers, and ``read``, which makes a Foreign of them. The first one whose sign is there speaks.
"""

from collections.abc import Callable
from typing import NamedTuple

from dlqconsole.pipeline.kafka.dialects import connect, share, spring, streams
from dlqconsole.pipeline.kafka.dialects.foreign import Foreign
from dlqconsole.pipeline.kafka.dialects.notes import Notes
from dlqconsole.pipeline.kafka.records import RawHeaders


class Dialect(NamedTuple):
    """The parts of a module of this folder."""

    signs: tuple[str, ...]
    prefixes: tuple[str, ...]
    read: Callable[[Notes], Foreign]


DIALECTS = tuple(Dialect(each.SIGNS, each.PREFIXES, each.read) for each in (spring, connect, streams, share))


def recognise(headers: RawHeaders) -> Foreign | None:
    """The failure that a record's headers tell of; None for a record that has not failed."""
    for dialect in DIALECTS:
        if any(name.startswith(dialect.signs) for name, _value in headers):
            return dialect.read(Notes(headers))
    return None


def without_notes(headers: RawHeaders) -> RawHeaders:
    """The producer's own headers: what others noted of the failure would mislead once it is revived."""
    return tuple((name, value) for name, value in headers if not name.startswith(_PREFIXES))


_PREFIXES = tuple(prefix for dialect in DIALECTS for prefix in dialect.prefixes)
