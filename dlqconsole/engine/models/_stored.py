"""A generated column that is checked without a database."""

from typing import Any

from django.core.checks import CheckMessage
from django.db import models


class StoredField(models.GeneratedField):
    """Django's GeneratedField, stored.

    Django asks the database whether it has such columns before every command, so that none could even start
    without one. Every PostgreSQL that we run on has them.
    """

    def _check_supported(self, databases: Any) -> list[CheckMessage]:
        return []

    def deconstruct(self) -> Any:
        """As Django's own field: migrations know nothing of this class."""
        name, _path, arguments, options = super().deconstruct()
        return name, "django.db.models.GeneratedField", arguments, options
