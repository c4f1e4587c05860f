"""Checks of single values. Each raises ValueError with a sentence, which never holds a secret."""

import re
from collections.abc import Callable, Sequence
from ipaddress import ip_address
from urllib.parse import urlsplit

from pydantic import SecretStr

_FORM = re.compile(r"(\d+)\s*([kmgt]?)b?", re.ASCII | re.IGNORECASE)
_UNITS = {"": 1, "k": 1024, "m": 1024**2, "g": 1024**3, "t": 1024**4}
SHORTEST, FEWEST = 32, 8
SHORTEST_TOKEN = 16
HOW = 'make one by python3 -c "import secrets; print(secrets.token_urlsafe(50))"'
# texts of templates, tutorials and documents, ours included; case and punctuation do not count
KNOWN = re.compile(
    "insecure|change(me|this)|replaceme|secretkey|(your|my|super|not|nota)secret|longrandom|example|password"
    "|qwerty|asdfgh|zxcvbn|abcdefgh|onlywhilebuilding|onlyforthistest"
)
LOCAL = "localhost"
# what every mail server takes: no quoted names, and nothing that a header would read otherwise
_MAIL_ADDRESS = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[^\W_](?:[\w.-]*[^\W_])?")
# an account in an address, which may hold a password
_ACCOUNT = re.compile(r"(:?//|:).*@", re.DOTALL)
_SPARK_MASTER = re.compile(r"local(\[.+\])?|local-cluster\[.+\]|spark://\S+:\d+|k8s://\S+|yarn")


def without_account(text: str) -> str:
    """Return a text as a sentence may quote it: without what may be a password before an ``@``."""
    return _ACCOUNT.sub(r"\1…@", text)


def read_memory(text: str) -> int:
    """Return the bytes. Raises ValueError."""
    match = _FORM.fullmatch(text.strip())
    if match is None:
        raise ValueError("Write it like 1g or 1536m")
    return int(match[1]) * _UNITS[match[2].lower()]


def postgres_url(value: SecretStr) -> SecretStr:
    """Accept the URL of a PostgreSQL database."""
    return _url(value, ("postgres", "postgresql", "pgsql"), "postgres://user@host/database")


def redis_url(value: SecretStr) -> SecretStr:
    """Accept the URL of a Redis or Valkey server."""
    return _url(value, ("redis", "rediss"), "redis://:password@host:6379/0")


def readable_secret(read: Callable[[str], object]) -> Callable[[SecretStr], SecretStr]:
    """Accept the secrets that ``read`` takes without a ValueError."""

    def check(value: SecretStr) -> SecretStr:
        read(value.get_secret_value())
        return value

    return check


def readable(read: Callable[[str], object]) -> Callable[[str], str]:
    """Accept the texts that ``read`` takes without a ValueError."""

    def check(text: str) -> str:
        read(text)
        return text

    return check


def schema_name(text: str) -> str:
    """Accept the name of a schema that need not be quoted and is nobody else's."""
    if not re.fullmatch("[a-z_][a-z0-9_]{0,62}", text):
        raise ValueError("It must be 1 to 63 small letters, digits and underscores, and begin with no digit")
    if text.startswith("pg_") or text == "information_schema":
        raise ValueError("It must not be a schema of PostgreSQL's own")
    return text


def spark_master(text: str) -> str:
    """Accept an address of Spark: what Spark itself says of another one is a page of Java."""
    if not _SPARK_MASTER.fullmatch(text):
        raise ValueError(
            "It must be like local[*], local[2], spark://host:7077, yarn or k8s://https://host:443"
        )
    return text


def web_address(text: str) -> str:
    """Accept an address of HTTP, without an account; or none."""
    if text and not (re.fullmatch(r"https?://[^\s/?#@:]+(:\d{1,5})?(/[^\s?#@]*)?", text)):
        raise ValueError("It must be like https://broker:15671, without an account")
    return text


def origin(text: str) -> str:
    """Accept one origin, or none."""
    return origins([text])[0] if text else text


def mail_addresses(texts: Sequence[str]) -> Sequence[str]:
    """Accept addresses of mail, without the names of people."""
    for text in texts:
        if not is_mail_address(text):
            raise ValueError(f"{without_account(text)!r} is no address like team@example.org")
    return texts


def is_mail_address(text: str) -> bool:
    """Tell whether a text is one address of mail, without a name."""
    return bool(_MAIL_ADDRESS.fullmatch(text))


def trace_template(text: str) -> str:
    """Accept an address of HTTP with a place for the id of a trace; or none."""
    if (text and not re.fullmatch(r"https?://\S+", text)) or (text and "{trace_id}" not in text):
        raise ValueError("It must be like https://jaeger.example.org/trace/{trace_id}")
    return text


def source_template(text: str) -> str:
    """Accept a root and an address of HTTP with places for a path below it and a line; or none."""
    if text and not (re.fullmatch(r"[^=\s]*=https?://\S+", text) and "{path}" in text and "{line}" in text):
        raise ValueError("It must be like /app/=https://git.example.org/shop/blob/main/{path}#L{line}")
    return text


def origins(texts: Sequence[str]) -> Sequence[str]:
    """Accept origins as Django compares them: a scheme and a host, nothing behind."""
    for text in texts:
        if not re.fullmatch(r"https?://[^\s/?#@]+", text):
            raise ValueError(f"{without_account(text)!r} is no origin like https://dlq.example.org")
    return texts


def folders(texts: Sequence[str]) -> Sequence[str]:
    """Accept whole paths: a relative one would be another folder for each process."""
    for text in texts:
        if not text.startswith("/"):
            raise ValueError(f"{without_account(text)!r} is no whole path like /data/events")
    return texts


def token(value: SecretStr) -> SecretStr:
    """Accept a text that nobody guesses soon; none is none."""
    length = len(value.get_secret_value())
    if 0 < length < SHORTEST_TOKEN:
        raise ValueError(f"It has {length} characters and needs {SHORTEST_TOKEN}; {HOW}")
    return value


def strong(value: SecretStr) -> SecretStr:
    """Accept a random text: a person who guesses it signs in as anybody."""
    text = value.get_secret_value().strip()
    if len(text) < SHORTEST:
        raise ValueError(f"It has {len(text)} characters and needs {SHORTEST}; {HOW}")
    if len(set(text)) < FEWEST or (text + text).find(text, 1) <= len(text) // 2:
        raise ValueError(f"It is not random: a few characters again and again; {HOW}")
    if KNOWN.search(re.sub("[^a-z]", "", text.lower())):
        raise ValueError(f"Its words stand in public documents; {HOW}")
    return value


def safe_in_public(value: bool, safe: bool, hosts: Sequence[str]) -> bool:
    """Accept the safe value; accept the other one where all hosts are this machine's own."""
    public = [host for host in hosts if not is_local(host)]
    if value is not safe and public:
        raise ValueError(
            f"It cannot be {str(value).lower()} with ALLOWED_HOSTS {public[0]!r}; that goes with localhost"
            " and 127.0.0.1 only"
        )
    return value


def is_local(host: str) -> bool:
    """Tell whether a host name is this machine's own: a loopback address, or localhost."""
    name = host.strip().lower().rstrip(".").strip("[]")
    if name == LOCAL or name.endswith(f".{LOCAL}"):
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False


def _url(value: SecretStr, schemes: Sequence[str], example: str) -> SecretStr:
    try:
        parts = urlsplit(value.get_secret_value())
        parts.port  # noqa: B018 - the parser checks it only when somebody reads it
    except ValueError:
        # urllib quotes the part that it cannot read, and that may be half of a password
        raise ValueError(
            f"It is not a URL like {example}; encode / and # and [ in names and passwords"
        ) from None
    if parts.scheme not in schemes:
        raise ValueError(f"It must be a URL like {example}")
    return value
