"""The systems there are, and which of them serves a queue: ``<prefix>:orders``, or plain ``orders``, ours.

A folder of this package offers one ``System``, or several. An application of your own registers another in
its ``AppConfig.ready``.
"""

import pkgutil
from functools import cache
from importlib import import_module
from pathlib import Path

from dlqconsole.transports.errors import TransportUnavailable
from dlqconsole.transports.system import System
from dlqconsole.transports.target import Transport

OURS = ""


@cache
def systems() -> dict[str, System]:
    """Return every system by its prefix."""
    package = __name__.rpartition(".")[0]
    folders = [module.name for module in pkgutil.iter_modules([str(Path(__file__).parent)]) if module.ispkg]
    offers = [vars(import_module(f"{package}.{name}")).values() for name in folders]
    return {each.prefix: each for values in offers for each in values if isinstance(each, System)}


def register(system: System) -> None:
    """Make a system known beside those that have a folder here."""
    systems()[system.prefix] = system


def parts(name: str) -> tuple[System, str]:
    """Return the system that serves a queue, and the queue's name there."""
    prefix, _colon, remote = name.partition(":")
    system = systems().get(prefix) if prefix and remote else None
    if system is None:
        return systems()[OURS], name
    return system, system.remote_name(remote)


def system_of(prefix: str) -> System:
    """Return the system with that prefix. Raises TransportUnavailable where nobody has registered it."""
    system = systems().get(prefix)
    if system is None:
        raise TransportUnavailable(f"There is no system {prefix!r} here; it was attached where there is one.")
    return system


def is_ours(name: str) -> bool:
    """Tell whether it is a queue of our own, and not one that has to be attached."""
    return parts(name)[0].prefix == OURS


def full_name(name: str) -> str:
    """Return the name as it stands in our tables."""
    system, remote = parts(name)
    return f"{system.prefix}:{remote}" if system.prefix else name


def transport_of(name: str) -> tuple[Transport, str]:
    """Return the transport that serves a queue, and the queue's name there. Raises TransportUnavailable."""
    system, remote = parts(name)
    return system.open(), remote


def others() -> list[System]:
    """Return the systems whose queues can be attached, by prefix."""
    return [system for prefix, system in sorted(systems().items()) if prefix != OURS]


def examples(queue: str) -> str:
    """Return examples of attached queues' names: ``one:<queue> or other:<queue>``."""
    return " or ".join(f"{system.prefix}:{queue}" for system in others())
