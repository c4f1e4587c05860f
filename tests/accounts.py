"""People of a test as the tables name them."""

from django.contrib.auth.models import User


def actor_of(name: str) -> str:
    """``user:7`` for the account of that name; a number that nobody has where there is none."""
    return f"user:{User.objects.filter(username=name).values_list('pk', flat=True).first() or 999_999_999}"
