"""Ours: an export as people ask for it and as the worker writes it, in one process."""

import time

import django

django.setup()

from dlqconsole.operations.models import Operation  # noqa: E402
from dlqconsole.operations.pages.export_rows import COLUMNS  # noqa: E402
from tests.accounts import ALICE  # noqa: E402
from tests.asking import ask_for  # noqa: E402
from tests.bench.peers import operations  # noqa: E402


class Peer(operations.Peer):
    def columns(self) -> str:
        """The columns of an export, as the table has them."""
        return ", ".join(column.name.removesuffix("_base64") for column in COLUMNS)

    def export(self, number: int, unmasked: bool) -> float:
        """Write all dead letters to a file; the seconds from the request to the end."""
        begun = time.monotonic()
        operation = ask_for(
            "export",
            actor=ALICE,
            reason="to measure it",
            expected=number,
            parameters={"unmasked": unmasked},
        )
        # a second person would have to approve
        Operation.objects.filter(pk=operation.pk).update(alone_up_to=2**31 - 1)
        self._freeze(operation.pk)
        self.work(operation.pk)
        return time.monotonic() - begun
