"""The parts of a filter, ours and those of features, in the order in which a filter is written down."""

from django.utils.module_loading import import_string

from dlqconsole.engine.dead_letters import filter_parts
from dlqconsole.engine.dead_letters.filter_parts import FilterPart
from dlqconsole.engine.dead_letters.language.reading import PAYLOAD_PREFIX
from dlqconsole.engine.dead_letters.owner_part import OWNER
from dlqconsole.features import features

# the search box is the last
*_FIRST, _SEARCH = filter_parts.PARTS
PARTS: list[FilterPart] = [
    *_FIRST,
    OWNER,
    *(import_string(path) for feature in features() for path in feature.filter_parts),
    _SEARCH,
]


def by_name() -> dict[str, FilterPart]:
    """Return the parts by their names."""
    return {part.name: part for part in PARTS}


def parameters() -> list[str]:
    """Return the names of the parts."""
    return [part.name for part in PARTS]


def is_parameter(name: str) -> bool:
    """Tell whether a filter knows a parameter of this name."""
    return name in parameters() or name.startswith(PAYLOAD_PREFIX)
