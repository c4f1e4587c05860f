"""Who may do what. Roles are groups; without one of them a person may sign in and see nothing."""

from typing import Any

from django.http import HttpRequest

ROLES = ("viewer", "operator", "admin")


def role_context(request: HttpRequest) -> dict[str, Any]:
    """The role and rights that every template may ask for."""
    return {}
