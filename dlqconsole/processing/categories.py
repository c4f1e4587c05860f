"""From an exception to its category: the error says it, otherwise its class does."""

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


def category_of(error: BaseException) -> str:
    """Return one of the five categories; whatever nobody can place is UNKNOWN."""
    said = getattr(error, "category", None)
    if isinstance(said, str) and said in ALL:
        return said
    for kind, category in _BY_CLASS:
        if isinstance(error, kind):
            return category
    return _by_name(type(error))


def _by_name(kind: type[BaseException]) -> str:
    for parent in kind.__mro__:
        category = _BY_NAME.get((parent.__module__.partition(".")[0], parent.__name__))
        if category:
            return category
    return UNKNOWN
