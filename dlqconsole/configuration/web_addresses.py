"""What the web's settings name: hosts that the console answers to, and origins that may send its forms."""

import re
from ipaddress import ip_address

from .shortened import shortened

# a name, or with the dot in front all names below it
_HOST = re.compile(r"\.?(?!-)[a-z0-9_-]{1,63}(\.(?!-)[a-z0-9_-]{1,63})*\.?", re.IGNORECASE)
_ORIGIN = re.compile(r"https?://(?P<host>[^/:\s]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?", re.IGNORECASE)
_ANY = "*"
_LONGEST = 253


def check_host(text: str) -> None:
    """Raises ValueError for what no browser sends as its host."""
    if text == _ANY or _is_host(text):
        return
    raise ValueError(
        f"{shortened(text)} is no host: give its name or address alone, such as dlq.example.org or [::1],"
        " without scheme, port or path."
    )


def check_origin(text: str) -> None:
    """Raises ValueError for what no browser sends as an origin; ``https://*.example.org`` is one."""
    found = _ORIGIN.fullmatch(text)
    if found and _is_host(found["host"].removeprefix("*")):
        return
    raise ValueError(
        f"{shortened(text)} is no origin: give scheme and host, and the port if it is a special one,"
        " such as https://dlq.example.org."
    )


def _is_host(text: str) -> bool:
    if ":" in text:
        return _is_address(text[1:-1] if text[0] + text[-1] == "[]" else text)
    return len(text) <= _LONGEST and bool(_HOST.fullmatch(text))


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True
