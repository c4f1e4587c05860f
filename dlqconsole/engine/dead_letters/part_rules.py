"""Checks of the filter's parts, made when the filter is put together, not when somebody filters."""

from collections.abc import Iterable, Iterator, Sequence

from django.core.exceptions import ImproperlyConfigured

from dlqconsole.engine.dead_letters.filter_parts import FilterPart
from dlqconsole.processing.inputs.plain_text import NAME, duplicates, quoted

# names that something else has already; tests/operations/kinds/test_reserved.py compares them
# the arguments of `manage.py deadletters`, beside the filter and the options of operations
COMMAND = frozenset(
    [
        "verb",
        "id",
        "ids",
        "all",
        "because",
        "json",
        "limit",
        "wait",
        "output",
        "payload",
        "payload_file",
        "as_operation",
        "typed_count",
        "token_file",
        "operation",
        "outcome",
        "help",
        "version",
        "verbosity",
        "settings",
        "pythonpath",
        "traceback",
        "no_color",
        "force_color",
        "skip_checks",
    ]
)
# the parameters of a list's address beside the filter
LIST = frozenset({"cursor", "size", "stay", "sort", "columns", "grouping", "view"})


def check_parts(parts: Sequence[FilterPart], attributes: Iterable[str], columns: Iterable[str]) -> None:
    """Raise ImproperlyConfigured, one sentence, where these cannot be one filter.

    ``attributes`` are what a filter has beside the values of its parts, ``columns`` what its rows have.
    """
    for problem in _problems(parts, {*COMMAND, *LIST, *attributes}, {*columns}):
        raise ImproperlyConfigured(f"The filter {problem}.")


def _problems(parts: Sequence[FilterPart], reserved_names: set[str], columns: set[str]) -> Iterator[str]:
    for part in parts:
        yield from _wrong(part, reserved_names)
        if clashes := columns & {*part.alias}:
            yield f"has a part {quoted(part.name)} whose alias is a column: {min(clashes)}"
    yield from (f"has two parts {quoted(name)}" for name in duplicates(part.name for part in parts))
    aliases = duplicates(name for part in parts for name in part.alias)
    yield from (f"has two parts with the alias {quoted(name)}" for name in aliases)


def _wrong(part: FilterPart, reserved_names: set[str]) -> Iterator[str]:
    if not NAME.fullmatch(str(part.name)):
        yield f"has a part {quoted(part.name)}: a name has small letters, digits and _, at most 40"
    if part.name in reserved_names:
        yield f"has a part {quoted(part.name)}, a name that addresses, the command or the filter itself use"
    if not str(part.label).strip():
        yield f"has a part {quoted(part.name)} without a label"
    if not (callable(part.read) and callable(part.condition or part.means)):
        yield f"has a part {quoted(part.name)} whose read or condition cannot be called"
