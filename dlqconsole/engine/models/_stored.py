"""A column that the database generates."""

from typing import Any

from django.core.checks import CheckMessage
from django.db import models


class StoredField(models.GeneratedField):
    """A column that Django reads and never writes. The schema says what it holds."""

    def __init__(self, output_field: "models.Field[Any, Any]", **options: Any) -> None:
        options |= {"expression": models.Value(None), "db_persist": True}
        super().__init__(output_field=output_field, **options)

    def _check_supported(self, databases: Any) -> list[CheckMessage]:
        """Ask no database: every PostgreSQL that runs this has such columns."""
        return []
