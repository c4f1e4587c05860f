"""The memory of this machine, or of the container that we are in; read anew with each question."""

from pathlib import Path

_MACHINE = Path("/proc/meminfo")
_CONTAINER = Path("/sys/fs/cgroup")
# of the second version of control groups, then of the first
_LIMITS = ("memory.max", "memory/memory.limit_in_bytes")
_USED = ("memory.current", "memory/memory.usage_in_bytes")


def whole_memory() -> int:
    """Bytes in all; 0 where nobody says."""
    sizes = [_of_machine("MemTotal"), *(_of_container(name) for name in _LIMITS)]
    return min((number for number in sizes if number), default=0)


def free_memory() -> int:
    """Bytes that programs may still take; 0 where nobody says."""
    rooms = [_of_machine("MemAvailable")]
    for limit, usage in zip(_LIMITS, _USED, strict=True):
        if most := _of_container(limit):
            rooms.append(max(0, most - _of_container(usage)))
    return min(rooms)


def _of_machine(name: str) -> int:
    try:
        lines = _MACHINE.read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith(f"{name}:")), 0)


def _of_container(name: str) -> int:
    """0 where there is no such file, and where it says "max": no limit."""
    try:
        text = (_CONTAINER / name).read_text(encoding="ascii").strip()
    except OSError:
        return 0
    return int(text) if text.isdecimal() else 0
