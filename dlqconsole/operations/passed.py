"""The option to take only what passed another operation, with its payload as it is now.

A feature whose operations try something out declares it, as ``passed_option``.
"""

from collections.abc import Mapping
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet
from django.utils.module_loading import import_string

from dlqconsole.engine.models import DeadLetter
from dlqconsole.features import features
from dlqconsole.operations.models import ItemStatus, OperationItem
from dlqconsole.operations.options import Option

OPTIONS: tuple[Option, ...] = tuple(
    import_string(feature.passed_option) for feature in features() if feature.passed_option
)


def names() -> set[str]:
    """The names of these options."""
    return {option.name for option in OPTIONS}


def operation_of(options: Mapping[str, Any]) -> int | None:
    """The number of the operation that these options name; None: they take everything."""
    numbers = (options.get(option.name) for option in OPTIONS)
    return next((int(number) for number in numbers if number), None)


def filter_passed(rows: QuerySet[DeadLetter], operation_id: int | None) -> QuerySet[DeadLetter]:
    """The rows that passed the operation with their present payload; all rows without one."""
    if operation_id is None:
        return rows
    items = OperationItem.objects.filter(
        operation_id=operation_id,
        status=ItemStatus.DONE,
        dead_letter_id=OuterRef("pk"),
        frozen_version=OuterRef("payload_version"),
    )
    letters: QuerySet[DeadLetter] = rows.filter(Exists(items))
    return letters
