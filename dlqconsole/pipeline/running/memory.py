"""The memory that Spark may have, compared with the machine's: said before it starts, and not by a trace."""

import re

from dlqconsole.pipeline.errors import BadRequest
from dlqconsole.system.memory import whole_memory

_FORM = re.compile(r"(\d+)\s*([kmgt]?)b?", re.IGNORECASE)
_UNITS = {"": 1, "k": 1024, "m": 1024**2, "g": 1024**3, "t": 1024**4}
# Spark itself refuses to start below this
LEAST = 450 * 1024**2


def check_memory(setting: str) -> None:
    """Raise BadRequest for a SPARK_DRIVER_MEMORY that is none, is too small, or is more than there is."""
    number, there = read_memory(setting), whole_memory()
    if number < LEAST:
        raise BadRequest(f"SPARK_DRIVER_MEMORY is {setting}: Spark needs at least {in_words(LEAST)}")
    if there and number > there:
        has = f"this machine has {in_words(there)}"
        raise BadRequest(f"SPARK_DRIVER_MEMORY is {setting}, and {has}: choose less; 1g is enough")


def read_memory(setting: str) -> int:
    """Bytes of a text like ``1g`` or ``512m``. Raises BadRequest."""
    match = _FORM.fullmatch(setting.strip())
    if match is None:
        raise BadRequest(f"SPARK_DRIVER_MEMORY is {setting!r}: write it like 1g or 1536m")
    return int(match[1]) * _UNITS[match[2].lower()]


def in_words(number: int) -> str:
    """``3.8 GiB``, ``450 MiB``."""
    gibibytes = number / 1024**3
    return f"{gibibytes:,.1f} GiB" if gibibytes >= 1 else f"{number // 1024**2:,} MiB"
