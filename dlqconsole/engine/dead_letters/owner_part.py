"""The part of the filter by whose failure group a dead letter is in: what the view of owners says now."""

from django.db.models import Q
from django.db.models.expressions import RawSQL

from dlqconsole.engine.dead_letters.filter_parts import FilterPart
from dlqconsole.hosting.wording import gettext_lazy as _

_GROUPS = "SELECT group_id FROM failure_group_owners WHERE owner = %s"
_OWNED = "SELECT group_id FROM failure_group_owners WHERE owner <> ''"

OWNER = FilterPart(
    name="owner",
    label=_("owner is"),
    condition=lambda value: Q(group_id__in=RawSQL(_GROUPS, [value])),  # noqa: S611 - the value is a parameter
    exists=lambda: Q(group_id__in=RawSQL(_OWNED, [])),  # noqa: S611 - a constant
)
