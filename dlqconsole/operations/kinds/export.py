"""Export: write the selection to a file, personal data masked unless somebody says otherwise."""

from collections.abc import Mapping
from typing import Any

from dlqconsole.engine.lifecycle.states import DeadLetterStatus
from dlqconsole.operations import export_files
from dlqconsole.operations.changes import CountsAsChanged
from dlqconsole.operations.export_files import ExportFile
from dlqconsole.operations.exporting import ExportPages
from dlqconsole.operations.kinds.base import TABS, Kind
from dlqconsole.operations.models import Operation
from dlqconsole.operations.options import Choice, Switch
from dlqconsole.operations.work import Held, Work

_SUCCEEDED = str(DeadLetterStatus.SUCCEEDED)

FORMAT = Choice(
    name="format",
    label="Format",
    help="of an export (csv)",
    metavar="F",
    folded=False,
    words=lambda name: f"as {name.upper()}",
    choices=(("csv", "CSV"), ("jsonl", "JSON Lines")),
    sentence="An export is csv or jsonl",
)
UNMASKED = Switch(
    name="unmasked",
    label="With personal data in the clear",
    help="with personal data",
    hint="Always needs a second person.",
    opposite="masked",
    folded=False,
    words=lambda is_on: "personal data NOT masked" if is_on else "personal data masked",
)


class Export(Kind):
    name = "export"
    label = "Export"
    icon = "download"
    brief = "write to a file that waits on the receipt"
    explains = "They are written to a file that waits on the receipt. Nothing changes."
    past = "exported"
    does = "writes a file, personal data masked"
    undone = "nothing to undo"

    takes = tuple(DeadLetterStatus)
    counts_as_changed = CountsAsChanged.PAYLOAD
    options = (FORMAT, UNMASKED)
    # reading what is masked must not wait for anybody
    counts_for_approval = False

    rank = 70
    # what succeeded is only read
    first_on = (_SUCCEEDED,)
    more_on = tuple(tab for tab in TABS if tab != _SUCCEEDED)
    has_file = True

    def pages(self, work: Work) -> ExportPages:
        return ExportPages(work)

    def completed(self, held: Held) -> None:
        export_files.finish(held.id, held.options)

    def is_grave(self, options: Mapping[str, Any]) -> bool:
        return bool(options.get("unmasked"))

    def why_approval(self, options: Mapping[str, Any]) -> str:
        return "personal data leaves unmasked"

    def file(self, operation: Operation) -> ExportFile | None:
        return export_files.export_file(operation, self.stored(operation.parameters))
