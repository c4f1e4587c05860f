"""The pages of the navigation, for the bar on top and for the box that leads to them."""

from dlqconsole.features import Link, features
from dlqconsole.hosting.wording import gettext_lazy as _
from dlqconsole.hosting.wording import translated

_BAR = (
    ("overview", _("Overview")),
    ("dead_letters", _("Dead letters")),
    ("groups", _("Groups")),
    ("rules", _("Rules")),
    ("operations", _("Operations")),
    ("queues", _("Queues")),
    # here stand those of features
    ("schedules", _("Schedules")),
    ("reports", _("Reports")),
    ("runs", _("Runs")),
    ("audit", _("Audit")),
)
_FIRST = 6
# pages for everybody with a role that only other pages and menus lead to
_OTHERS = (("handover", _("Hand-over")), ("owner_rules", _("Owners")), ("tokens", _("Your tokens")))

type NamedPage = tuple[str, str]


def bar() -> list[NamedPage]:
    """Return the address's name and the translated label of each page in the bar, from left to right."""
    own = [(name, str(label)) for name, label in _BAR]
    return [*own[:_FIRST], *((link.address, translated(link.label)) for link in of_features()), *own[_FIRST:]]


def everywhere() -> list[NamedPage]:
    """Return the pages of the bar, then those that it lacks."""
    return [*bar(), *((name, str(label)) for name, label in _OTHERS)]


def of_features() -> list[Link]:
    """Return the entries that features bring."""
    return [feature.navigation for feature in features() if feature.navigation]
