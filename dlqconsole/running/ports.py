"""TCP ports of this machine: which are free, and what to say when the wanted one is not."""

from __future__ import annotations

import socket

from dlqconsole.system.errors import RuntimeProblem

LOOPBACK = "127.0.0.1"


def is_free(port: int, address: str = LOOPBACK) -> bool:
    """Tell whether we could listen on this port now."""
    return not _refusal(port, address)


def _refusal(port: int, address: str) -> str:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        # As servers do: a connection of ours that is still closing does not hold the port.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address, port))
        except OSError as error:
            return error.strerror or str(error)
        return ""


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


def refuse_taken(address: str, port: int) -> None:
    """Raise RuntimeProblem for a port on which we cannot listen."""
    if not 0 < port < 65536:
        raise RuntimeProblem(f"--port {port} is not a port: give a number from 1 to 65535")
    if refusal := _refusal(port, address):
        raise RuntimeProblem(
            f"Cannot listen on {address}, port {port} ({refusal.lower()}): choose another by --port"
        )


def answers(port: int) -> bool:
    """Tell whether something listens on this port of the loopback address."""
    try:
        with socket.create_connection((LOOPBACK, port), timeout=1):
            return True
    except OSError:
        return False
