"""Types for argparse: what a command line takes is read as the console's forms read it.

Bounds stay with the services, which say them to every caller; here only what is no value at all is refused.
"""

from argparse import ArgumentTypeError
from collections.abc import Callable

from dlqconsole.processing.inputs import InvalidInput
from dlqconsole.processing.inputs.numbers import LARGEST, as_id, read_count
from dlqconsole.processing.inputs.plain_text import is_storable, quoted
from dlqconsole.processing.inputs.reasons import checked_reason
from dlqconsole.processing.texts import printable


def item_id(text: str) -> int:
    """A row's number: digits and nothing else."""
    number = as_id(text)
    if number is None:
        raise ArgumentTypeError(f"{quoted(text)} is no number of a row")
    return number


def count(text: str) -> int:
    """A whole number: 14212 or 14,212."""
    return _refused_by(lambda: read_count(text, "it", 0, LARGEST))


def reason(text: str) -> str:
    """Read a reason, without the spaces around it. "" stays "": the command then says how to give one."""
    if not is_storable(text):  # each such byte comes as half a character
        raise ArgumentTypeError("it is not UTF-8: it holds half a character, or stray bytes")
    return _refused_by(lambda: checked_reason(text)) if text.strip() else ""


def _refused_by[T](read: Callable[[], T]) -> T:
    """Return what a reader returns; word its refusal for argparse, in one line with the option's name."""
    try:
        return read()
    except InvalidInput as problem:
        raise ArgumentTypeError(printable(str(problem))) from problem
