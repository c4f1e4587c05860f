"""The category of an exception: the error says it, else a code it carries, else its class.

A code is a SQLSTATE (``error.sqlstate``) or an HTTP status (``error.response.status_code``,
``error.status_code``, the ``code`` of urllib's HTTPError), on the error itself or on its cause.
"""

import re

TRANSIENT = "TRANSIENT"
DEPENDENCY = "DEPENDENCY"
PERMANENT = "PERMANENT"
BUSINESS = "BUSINESS"
UNKNOWN = "UNKNOWN"

ALL = (TRANSIENT, DEPENDENCY, PERMANENT, BUSINESS, UNKNOWN)
RETRIED_BY_MACHINE = frozenset({TRANSIENT, DEPENDENCY, UNKNOWN})

# First match wins, so the narrow classes stand before OSError, their parent.
_BY_CLASS: tuple[tuple[type[BaseException], str], ...] = (
    (TimeoutError, TRANSIENT),
    (ConnectionError, TRANSIENT),
    (InterruptedError, TRANSIENT),
    (BlockingIOError, TRANSIENT),
    (OSError, DEPENDENCY),
)

# Well-known errors that inherit from none of the above, by name: importing their libraries here
# would cost every worker a second, and most installations do not have them.
_BY_NAME = {
    ("httpx", "TransportError"): TRANSIENT,
    ("psycopg", "OperationalError"): DEPENDENCY,
    ("redis", "ConnectionError"): TRANSIENT,
    ("redis", "TimeoutError"): TRANSIENT,
    ("urllib3", "TimeoutError"): TRANSIENT,
}

# Classes of SQLSTATE: 08 connection, 40 rollback (deadlock, serialisation), 53 out of resources, 55 object in
# use (a lock), 57 the operator stepped in (shutdown, cancelled).
_BY_SQLSTATE = {
    "08": DEPENDENCY,
    "40": TRANSIENT,
    "53": DEPENDENCY,
    "55": TRANSIENT,
    "57": DEPENDENCY,
}
# Statuses that only time mends; every other 4xx will be the same for ever, every other 5xx is theirs to mend.
_TRANSIENT_STATUS = frozenset({408, 425, 429, 503, 504})
_SQLSTATE = re.compile(r"[0-9A-Z]{5}", re.ASCII)


def category_of(error: BaseException) -> str:
    """Return one of the five categories. An error that nobody can place is UNKNOWN."""
    own = _read(error, "category")
    if isinstance(own, str) and own in ALL:
        return own
    by_code = _BY_SQLSTATE.get(sqlstate_of(error)[:2]) or _by_status(http_status_of(error))
    if by_code:
        return by_code
    for kind, category in _BY_CLASS:
        if isinstance(error, kind):
            return category
    return _by_name(type(error))


def sqlstate_of(error: BaseException) -> str:
    """The SQLSTATE that the error or its cause carries; empty without one."""
    for each in _with_cause(error):
        code = _read(each, "sqlstate")
        if isinstance(code, str) and _SQLSTATE.fullmatch(code):
            return code
    return ""


def http_status_of(error: BaseException) -> int:
    """The HTTP status that the error or its cause carries; 0 without one."""
    for each in _with_cause(error):
        codes = [_read(_read(each, "response"), "status_code"), _read(each, "status_code")]
        if any(
            kind.__name__ == "HTTPError" and kind.__module__ == "urllib.error" for kind in type(each).__mro__
        ):
            codes.append(_read(each, "code"))
        for code in codes:
            if isinstance(code, int) and 400 <= code <= 599:
                return int(code)
    return 0


def _with_cause(error: BaseException) -> list[BaseException]:
    return [error] if error.__cause__ is None else [error, error.__cause__]


def _read(thing: object, name: str) -> object:
    """An attribute that may be missing, or a property that fails as its error does."""
    try:
        return getattr(thing, name, None)
    except Exception:
        return None


def _by_status(status: int) -> str:
    if status in _TRANSIENT_STATUS:
        return TRANSIENT
    if status >= 500:
        return DEPENDENCY
    return PERMANENT if status else ""


def _by_name(kind: type[BaseException]) -> str:
    for parent in kind.__mro__:
        category = _BY_NAME.get((parent.__module__.partition(".")[0], parent.__name__))
        if category:
            return category
    return UNKNOWN
