"""Base64 of something personal: of JSON, or of a text with an e-mail in it. One layer, and no huge token."""

import re
from base64 import b64decode
from collections.abc import Callable

_SHORTEST = 16
_TOKEN = re.compile(
    rf"(?<![A-Za-z0-9+/=.])(?=[A-Za-z+/]*[0-9])(?=[0-9+/]*[A-Za-z])[A-Za-z0-9+/]{{{_SHORTEST},8000}}+={{0,2}}(?![A-Za-z0-9+/=]|\.\w)"
)
_ESCAPES = re.compile(r"\\+[bfnrt]")
# of the bytes only whether they can be of base64
_SHAPES = bytes(97 if (chr(byte).isalnum() and byte < 128) or byte in b"+/" else 32 for byte in range(256))
_RUN = b"a" * _SHORTEST


def mask(text: str, hides: Callable[[str], bool], replace: Callable[[str, str], str]) -> str:
    """Replace each token in whose text ``hides`` finds something."""
    return _TOKEN.sub(lambda m: replace("encoded", m[0]) if hides(_decode(m[0])) else m[0], text)


def may_hold(text: str) -> bool:
    """Tell whether some token can be read; False where there certainly is none to mask."""
    return len(text) >= _SHORTEST and bytes_may_hold(text.encode("utf-8", "replace"))


def bytes_may_hold(content: bytes) -> bool:
    """The same for UTF-8, of a text or of JSON."""
    if not _has_run(content):
        return False
    text = content.decode("utf-8", "replace")
    # in JSON a line's end is an escape whose letter stands before the token
    return _is_readable(text) or ("\\" in text and _is_readable(_ESCAPES.sub(" ", text.replace("\\/", "/"))))


def _has_run(content: bytes) -> bool:
    """Tell whether a run of its characters has letters and digits, as no class's name and no id has."""
    shape = content.translate(_SHAPES)
    start = shape.find(_RUN)
    while start >= 0:
        end = shape.find(b" ", start)
        end = len(shape) if end < 0 else end
        if not content[start:end].isalpha() and not content[start:end].isdigit():
            return True
        start = shape.find(_RUN, end)
    return False


def _is_readable(text: str) -> bool:
    return any(_decode(token) for token in _TOKEN.findall(text))


def _decode(token: str) -> str:
    """The text that it stands for; empty unless that is JSON or has an @."""
    plain = token.rstrip("=")
    if len(plain) % 4 == 1:
        return ""
    content = b64decode(plain + "=" * (-len(plain) % 4))
    if b"@" not in content and content.lstrip()[:1] not in (b"{", b"["):
        return ""
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return ""
    return text if "".join(text.split()).isprintable() else ""
