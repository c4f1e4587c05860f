"""TCP ports of this machine: which are free, and what to say when the wanted one is not."""

from __future__ import annotations

import socket

from dlqconsole.system.errors import RuntimeProblem

LOOPBACK = "127.0.0.1"


def is_free(port: int) -> bool:
    """Tell whether we could listen on this port of the loopback address now."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        # As servers do: a connection of ours that is still closing does not hold the port.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
        return True


def free_port(favourite: int = 0) -> int:
    """The preferred port if it is free, else any free one."""
    if favourite and is_free(favourite):
        return favourite
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.bind((LOOPBACK, 0))
        port: int = probe.getsockname()[1]
        return port


def wanted_port(text: str) -> int:
    """The port a person asked for, or a problem that names it."""
    if not text.isdecimal() or not 0 < int(text) < 65536:
        raise RuntimeProblem(
            f"PORT={text} is not a port: give a number from 1 to 65535, as in PORT=8001 make demo"
        )
    port = int(text)
    if not is_free(port):
        raise RuntimeProblem(
            f"Port {port} is taken, or not ours to open: choose another, as in PORT={port + 1} make demo"
        )
    return port


def answers(port: int) -> bool:
    """Tell whether something listens on this port of the loopback address."""
    try:
        with socket.create_connection((LOOPBACK, port), timeout=1):
            return True
    except OSError:
        return False
