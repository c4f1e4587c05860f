"""The memory that Spark may have, compared with the machine's: said before it starts, and not by a trace."""

from dlqconsole.configuration.checks import read_memory
from dlqconsole.pipeline.errors import BadRequest
from dlqconsole.system.memory import whole_memory

# Spark itself refuses to start below this
LEAST = 450 * 1024**2


def check_memory(setting: str) -> None:
    """Raise BadRequest for a SPARK_DRIVER_MEMORY that is too small, or is more than there is."""
    number, there = read_memory(setting), whole_memory()
    if number < LEAST:
        raise BadRequest(f"SPARK_DRIVER_MEMORY is {setting}: Spark needs at least {in_words(LEAST)}")
    if there and number > there:
        has = f"this machine has {in_words(there)}"
        raise BadRequest(f"SPARK_DRIVER_MEMORY is {setting}, and {has}: choose less; 1g is enough")


def in_words(number: int) -> str:
    """``3.8 GiB``, ``450 MiB``."""
    gibibytes = number / 1024**3
    return f"{gibibytes:,.1f} GiB" if gibibytes >= 1 else f"{number // 1024**2:,} MiB"
