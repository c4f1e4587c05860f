"""What must not be reached from outside this machine; at home, on loopback addresses, it may be so."""

from collections.abc import Mapping
from ipaddress import ip_address
from typing import Any

from .shortened import shortened

NEEDED = ("ALLOWED_HOSTS", "DEBUG", "DLQ_HTTPS")
_AT_HOME = "localhost"


def problems(values: Mapping[str, Any]) -> list[str]:
    """A sentence for each setting that goes with loopback hosts only, and stands beside another."""
    if not all(name in values for name in NEEDED):
        return []
    public = [host for host in values["ALLOWED_HOSTS"] if not is_local(host)]
    if not public:
        return []
    others = f"with ALLOWED_HOSTS {shortened(public[0])}; that goes with localhost and 127.0.0.1 only."
    found = {
        f"DEBUG cannot be true {others}": values["DEBUG"],
        f"DLQ_HTTPS cannot be false {others}": not values["DLQ_HTTPS"],
    }
    return [sentence for sentence, is_wrong in found.items() if is_wrong]


def is_local(host: str) -> bool:
    """Whether a name that the console answers to is this machine's own: a loopback address, or localhost."""
    name = host.strip().lower().rstrip(".").strip("[]")
    if name == _AT_HOME or name.endswith(f".{_AT_HOME}") or not name:
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False
