"""Dead letters that share a trace or correlation id with those of a group, and the filter for the rest."""

from typing import Any

from django.db.models import Q
from django.utils.translation import gettext as _

from dlqconsole.contrib.insight.sql import sql
from dlqconsole.core.lifecycle.states import OPEN, REVIVABLE, DeadLetterStatus
from dlqconsole.engine.access_scope import current_access
from dlqconsole.engine.dead_letters.filter_parts import FilterPart, NotReadable
from dlqconsole.engine.sql import sql as engine_sql
from dlqconsole.hosting.wording import gettext_lazy
from dlqconsole.processing.inputs.numbers import as_id
from dlqconsole.processing.inputs.plain_text import quoted

# of a group's newest so many are looked at; an id that more than MOST share joins nothing; the most GROUPS
SAMPLE, MOST, GROUPS = 300, 50, 12


def query(verb: str) -> str:
    """Return a query of ``dominoes.sql`` within the scope of who asks; ``values`` has its parameters."""
    letters = current_access().letters("dlq_events")
    joined = sql("dominoes.joined").format(letters=letters, healed=engine_sql("cascades.healed"))
    return sql(f"dominoes.{verb}").format(joined=joined)


def values(group_id: int) -> dict[str, Any]:
    """Return the parameters, but for those of the scope."""
    return {
        "id": group_id,
        "statuses": list(DeadLetterStatus),
        "open": list(OPEN),
        "revivable": list(REVIVABLE),
        "sample": SAMPLE,
        "most": MOST,
        "groups": GROUPS,
    }


def _read(text: str) -> int:
    number = as_id(text)
    if number is None:
        problem = _("must be the number of a failure group; it is {text}")
        raise NotReadable(problem.format(text=quoted(text)))
    return number


def _condition(group_id: int) -> Q:
    return Q(current_access().condition(query("rest"), values(group_id)))


REST_OF = FilterPart(
    name="rest_of",
    label=gettext_lazy("left open behind group"),
    read=_read,
    nothing=None,
    condition=_condition,
)
