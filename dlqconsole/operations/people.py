"""Who may change things: needed to know whether there is a second person to ask."""

from django.contrib.auth.models import User
from django.db.models import Q

# the roles whose members may change things, the more powerful last
CHANGERS = ("operator", "admin")


def changers() -> int:
    """How many people may ask for, and so approve, an operation."""
    may = Q(groups__name__in=CHANGERS) | Q(is_superuser=True)
    return User.objects.filter(may, is_active=True).distinct().count()
