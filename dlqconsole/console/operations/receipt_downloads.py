"""The files that a receipt offers."""

from typing import Any

from django.http import HttpRequest
from django.urls import reverse

from dlqconsole.console.access.permissions import actor, role_of
from dlqconsole.operations.models import Operation
from dlqconsole.operations.receipts import files


def receipt_downloads(request: HttpRequest, operation: Operation) -> dict[str, Any]:
    """``items_csv_url``; of an export its ``file``, and ``download_url`` if this person may take it."""
    file = None if operation.is_part else files.export_file(operation)
    may = operation.actor == actor(request) or role_of(request) == "admin"
    there = file is not None and file.deleted_at is None
    return {
        "items_csv_url": reverse("operation_items", args=[operation.pk]),
        "file": file,
        "download_url": reverse("operation_export", args=[operation.pk]) if there and may else "",
    }
