"""The registry of handlers: one plain function per event type, written once, run everywhere."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from inspect import iscoroutinefunction
from typing import Any

from .errors import HandlerSetupError, NoHandler
from .events import Event
from .inputs.sentences import Sentence, stored
from .limits import NO_LIMITS, HandlerLimits, Wait, read_limits
from .lookups import Table
from .modules import belongs_to, import_named, names_in
from .schemas import Schema

# a batch handler takes a list of events
type Function = Callable[[Any, Mapping[str, Any]], Any]

# begins the sentence about an event that nobody here can handle
NO_HANDLER_FOR = stored("no handler is declared for event type {event_type}")
# to which a statement adds the event type
NO_HANDLER = NO_HANDLER_FOR.partition("{")[0]

LONGEST_DEPENDENCY = 100
LARGEST_BATCH = 1000

_declarations: list["Declaration"] = []


@dataclass(frozen=True, slots=True)
class Period:
    """The content of one `@periodic` line: see ``periods``."""

    cron: str
    timezone: str
    queue: str


@dataclass(frozen=True, slots=True)
class Declaration:
    """The content of one `@handler` line."""

    event_type: str
    function: Function
    schema: dict[str, Any] | bool | None
    lookups: Mapping[str, Any]
    business_key: tuple[str, ...] = ()
    depends_on: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    rehearsable: bool = False
    # 0: it takes one event
    batch: int = 0
    period: Period | None = None
    limits: HandlerLimits = NO_LIMITS

    @property
    def place(self) -> str:
        """Name the function the way people look for it: module.function."""
        return f"{self.function.__module__}.{self.function.__qualname__}"

    def replaces(self, other: "Declaration") -> bool:
        """Tell whether this is the same line of code again: its module was imported a second time."""
        return (self.event_type, self.place, _line(self)) == (other.event_type, other.place, _line(other))


def handler[F: Callable[..., Any]](
    event_type: str,
    schema: dict[str, Any] | bool | None = None,
    lookups: Mapping[str, Table | Mapping[Any, Any]] | None = None,
    business_key: str = "",
    depends_on: str | Sequence[str] = (),
    needs: str | Sequence[str] = (),
    rehearsable: bool = False,
    batch: int = 0,
    *,
    max_retries: int | None = None,
    backoff: Wait | None = None,
    timeout: float | None = None,
) -> Callable[[F], F]:
    """Declare the function that processes events of one type.

    The function, also an `async def`, takes `(event, lookups)` and returns the enriched record: a JSON object
    (dict), or None for an event that needs no record. It raises an error that knows its category (see
    `errors`) when the event must not pass. `schema` is a JSON Schema for `event.data`, checked
    first: SchemaViolation. `lookups` are tables, or any mappings, handed to the function by name.
    `business_key` is the dotted path of what the event is about, such as `data.order_id`: before a
    bulk action the console counts the dead letters that share one. `depends_on` names what the
    function cannot do without, "billing" or ("billing", "stock"): while that is away, no handler
    that names it runs. `needs` names the environment variables that the function reads, "BILLING_URL":
    Spark sends them to its workers, and starts nothing while one is missing. `rehearsable` says that it
    may run to see what it would do: that it changes nothing anywhere, or leaves that out while
    `event.rehearsal` is true. `batch` makes it a batch handler: it takes a list of at most so many events,
    and returns as long a list, of a record or an error for each; or None.
    `max_retries` is how often the schedule retries a dead letter of the type, and `backoff` the seconds
    between, or the first and the longest of waits that double; a policy in the database comes before
    them. `timeout` is how many seconds the function may take, DLQ_HANDLER_TIMEOUT at most.
    Raises HandlerSetupError for an empty event type, a business key that is no path, a dependency or
    variable without a name, a `rehearsable` that is neither True nor False, a `batch` that is not 1 to
    1000, or limits out of bounds.
    """
    if not isinstance(event_type, str) or not event_type:
        raise HandlerSetupError(f"@handler needs the event type as text, not {event_type!r}")
    key = _key_path(event_type, business_key)
    depends = _names(event_type, "depends_on", "billing", depends_on)
    variables = _names(event_type, "needs", "BILLING_URL", needs)
    if not isinstance(rehearsable, bool):
        raise HandlerSetupError(
            f"@handler({event_type!r}): rehearsable is True or False, not {rehearsable!r}"
        )
    if type(batch) is not int or not 0 <= batch <= LARGEST_BATCH:
        raise HandlerSetupError(f"@handler({event_type!r}): batch is 1 to {LARGEST_BATCH}, not {batch!r}")
    limits = read_limits(event_type, max_retries, backoff, timeout)

    def declare(function: F) -> F:
        tables = dict(lookups or {})
        declaration = Declaration(
            event_type, function, schema, tables, key, depends, variables, rehearsable, batch, limits=limits
        )
        _declarations[:] = [other for other in _declarations if not declaration.replaces(other)]
        _declarations.append(declaration)
        return function

    return declare


def set_period(function: Callable[..., Any], period: Period) -> None:
    """Make the handler that a function is a periodic one. Raises HandlerSetupError where it is none."""
    places = [place for place, declaration in enumerate(_declarations) if declaration.function is function]
    if not places:
        raise HandlerSetupError(f"@periodic({period.cron!r}) stands above @handler: there is none")
    for place in places:
        _declarations[place] = replace(_declarations[place], period=period)


def no_handler_for(event_type: str) -> str:
    """The sentence for an event that nobody here can handle, the same wherever it is said."""
    return Sentence(NO_HANDLER_FOR, event_type=_quote(event_type))


class Registry:
    """The handlers of some modules, by event type. Travels to workers as the modules' names."""

    def __init__(self, declarations: list[Declaration], modules: str = "") -> None:
        self.modules = modules
        self._by_type: dict[str, tuple[Function, Schema | None, Mapping[str, Any]]] = {}
        self._places: dict[str, str] = {}
        self._keys: dict[str, tuple[str, ...]] = {}
        self._needs: dict[str, tuple[str, ...]] = {}
        self._variables: dict[str, tuple[str, ...]] = {}
        self._rehearsable: set[str] = set()
        self._batches: dict[str, int] = {}
        self._async: set[str] = set()
        self._periods: dict[str, Period] = {}
        self._limits: dict[str, HandlerLimits] = {}
        for declaration in declarations:
            self._add(declaration)

    def __reduce__(self) -> tuple[Any, ...]:
        return load_handlers, (self.modules,)

    @property
    def event_types(self) -> tuple[str, ...]:
        """The event types that have a handler, sorted."""
        return tuple(sorted(self._by_type))

    @property
    def business_keys(self) -> Mapping[str, tuple[str, ...]]:
        """The path of the business key, by event type; types that declare none are not in it."""
        return self._keys

    @property
    def rehearsable(self) -> frozenset[str]:
        """The event types whose handlers say that they can be rehearsed."""
        return frozenset(self._rehearsable)

    def dependencies_of(self, event_type: str) -> tuple[str, ...]:
        """Return what the handler of the type depends on, by its own word; empty without one."""
        return self._needs.get(event_type, ())

    @property
    def variables(self) -> tuple[str, ...]:
        """The environment variables that the handlers say they need, sorted."""
        return tuple(sorted({name for names in self._variables.values() for name in names}))

    @property
    def tables(self) -> tuple[Table, ...]:
        """The lookup files of all handlers, each once."""
        lookups_of_all = (table for _, _, lookups in self._by_type.values() for table in lookups.values())
        return tuple({id(table): table for table in lookups_of_all if isinstance(table, Table)}.values())

    def __contains__(self, event_type: object) -> bool:
        """Tell whether the event type has a handler here."""
        return event_type in self._by_type

    def handle(self, event: Event) -> Any:
        """Return the handler's record, or what is to be awaited for it.

        Raises NoHandler, SchemaViolation, or what the handler raises.
        """
        if event.type not in self._by_type:
            raise NoHandler(no_handler_for(event.type))
        self.check(event)
        function, _schema, lookups = self._by_type[event.type]
        return function(event, lookups)

    def check(self, event: Event) -> None:
        """Raise SchemaViolation where an event's data does not fit the schema of its handler."""
        schema = self._by_type[event.type][1]
        if schema is not None:
            schema.check(event.data)

    def handle_together(self, events: Sequence[Event]) -> Any:
        """Return what the batch handler of their type makes of these events, which fit its schema."""
        function, _schema, lookups = self._by_type[events[0].type]
        return function(list(events), lookups)

    def batch_of(self, event_type: str) -> int:
        """Return how many events the handler of the type takes at most; 0 where it takes one by itself."""
        return self._batches.get(event_type, 0)

    @property
    def largest_batch(self) -> int:
        """The most events that any handler takes at once."""
        return max(self._batches.values(), default=1)

    @property
    def periods(self) -> Mapping[str, Period]:
        """The ticks of the periodic handlers, by event type."""
        return self._periods

    @property
    def limits(self) -> Mapping[str, HandlerLimits]:
        """The limits that handlers name, by event type; types whose handlers name none are not in it."""
        return self._limits

    def seconds_for(self, event_type: str, longest: float) -> float:
        """Return how long the handler of the type may take."""
        own = self._limits[event_type].timeout if event_type in self._limits else None
        return longest if own is None else min(own, longest)

    def is_async(self, event_type: str) -> bool:
        """Tell whether the handler of the type is an ``async def`` for one event."""
        return event_type in self._async

    def schema_problems(self, event: Event) -> list[tuple[str, str]]:
        """Return what the event type's schema objects to in its data: JSON Pointer and sentence."""
        _function, schema, _lookups = self._by_type.get(event.type, (None, None, None))
        return [] if schema is None else schema.problems(event.data)

    def _add(self, declaration: Declaration) -> None:
        place = self._places.get(declaration.event_type)
        if place:
            raise HandlerSetupError(
                f"event type {declaration.event_type!r} has two handlers: {place} and {declaration.place}"
            )
        self._places[declaration.event_type] = declaration.place
        schema = _schema(declaration)
        self._by_type[declaration.event_type] = (declaration.function, schema, declaration.lookups)
        if declaration.business_key:
            self._keys[declaration.event_type] = declaration.business_key
        self._needs[declaration.event_type] = declaration.depends_on
        self._variables[declaration.event_type] = declaration.needs
        if declaration.rehearsable:
            self._rehearsable.add(declaration.event_type)
        if declaration.batch:
            self._batches[declaration.event_type] = declaration.batch
        elif iscoroutinefunction(declaration.function):
            self._async.add(declaration.event_type)
        if declaration.limits != NO_LIMITS:
            self._limits[declaration.event_type] = declaration.limits
        if declaration.period:
            self._periods[declaration.event_type] = declaration.period


@lru_cache(maxsize=8)
def load_handlers(modules: str) -> Registry:
    """Import the modules named in DLQ_HANDLERS (comma-separated) and collect their handlers.

    An empty setting gives an empty registry, which handles nothing. Raises
    HandlerSetupError with a sentence: no such module, a failing import, no handler in it, two
    handlers for one type, a bad schema.
    """
    loaded_modules = import_named(modules, "DLQ_HANDLERS", HandlerSetupError)
    declarations: list[Declaration] = []
    for module in loaded_modules:
        here = [declaration for declaration in _declarations if _is_in(declaration, module)]
        if not here:
            raise HandlerSetupError(f"DLQ_HANDLERS: {module.__name__!r} declares no @handler")
        declarations += [declaration for declaration in here if declaration not in declarations]
    return Registry(declarations, ",".join(names_in(modules)))


def _is_in(declaration: Declaration, module: Any) -> bool:
    """Declared in the module or its package, or imported into it by name."""
    return belongs_to(declaration.function.__module__, (module.__name__,)) or any(
        value is declaration.function for value in vars(module).values()
    )


def _schema(declaration: Declaration) -> Schema | None:
    try:
        return None if declaration.schema is None else Schema(declaration.schema)
    except HandlerSetupError as error:
        raise HandlerSetupError(f"{declaration.place} ({declaration.event_type!r}): {error}") from None


def _key_path(event_type: str, business_key: str) -> tuple[str, ...]:
    if business_key == "":
        return ()
    names = tuple(business_key.split(".")) if isinstance(business_key, str) else ()
    if not names or not all(names) or "\x00" in business_key:
        raise HandlerSetupError(
            f"@handler({event_type!r}): business_key is a path such as 'data.order_id', not {business_key!r}"
        )
    return names


def _names(event_type: str, what: str, such_as: str, value: str | Sequence[str]) -> tuple[str, ...]:
    names = (value,) if isinstance(value, str) else tuple(value)
    for name in names:
        if not isinstance(name, str) or not 0 < len(name) <= LONGEST_DEPENDENCY or "\x00" in name:
            raise HandlerSetupError(
                f"@handler({event_type!r}): {what} is a name such as {such_as!r}, of"
                f" {LONGEST_DEPENDENCY} characters at most, not {name!r}"
            )
    return tuple(dict.fromkeys(names))


def _line(declaration: Declaration) -> int:
    code = getattr(declaration.function, "__code__", None)
    return code.co_firstlineno if code else 0


def _quote(text: str) -> str:
    return repr(text if len(text) <= 120 else f"{text[:119]}…")
