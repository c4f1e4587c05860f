"""Export: write the selection to a file, personal data masked unless somebody says otherwise."""

from collections.abc import Mapping
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from dlqconsole.core.lifecycle.states import DeadLetterStatus
from dlqconsole.engine.models import DeadLetter
from dlqconsole.hosting.wording import gettext_lazy
from dlqconsole.operations.errors import OperationRefused
from dlqconsole.operations.kinds.base import TABS, Kind
from dlqconsole.operations.models import Operation
from dlqconsole.operations.options import Option
from dlqconsole.operations.pages import exporting
from dlqconsole.operations.pages.export_rows import letters
from dlqconsole.operations.pages.exporting import ExportFile, FilePages
from dlqconsole.operations.pages.sheets import Sheet
from dlqconsole.operations.pages.work import OperationWork
from dlqconsole.processing.formats import FORMATS
from dlqconsole.processing.inputs.fields import Choice, Switch

_SUCCEEDED = str(DeadLetterStatus.SUCCEEDED)

FORMAT = Option(
    field=Choice(
        name="format",
        what=gettext_lazy("The format"),
        label=gettext_lazy("Format"),
        help="of an export (csv)",
        is_required=False,
        nothing="csv",
        choices=[(format.name, format.label) for format in FORMATS.values()],
    ),
    is_folded=False,
    words=lambda name: _("as {label}").format(label=FORMATS[name].label),
)
UNMASKED = Option(
    field=Switch(
        name="unmasked",
        label=gettext_lazy("With personal data in the clear"),
        hint=gettext_lazy("Always needs a second person."),
        help="with personal data",
    ),
    is_folded=False,
    words=lambda is_on: _("personal data NOT masked") if is_on else _("personal data masked"),
)


class Export(Kind):
    name = "export"
    label = gettext_lazy("Export")
    icon = "download"
    brief = gettext_lazy("write to a file that waits on the receipt")
    explains = gettext_lazy("They are written to a file that waits on the receipt. Nothing changes.")
    past = gettext_lazy("exported")
    does = "writes a file, personal data masked"
    undone = "nothing to undo"

    takes = tuple(DeadLetterStatus)
    options = (FORMAT, UNMASKED)
    # a masked export must not wait for anybody
    counts_for_approval = False

    rank = 70
    # succeeded dead letters can only be read
    first_on: tuple[str, ...] = (_SUCCEEDED,)
    more_on: tuple[str, ...] = tuple(tab for tab in TABS if tab != _SUCCEEDED)
    in_admin = True
    has_file = True

    def reconcile(self, options: dict[str, Any]) -> dict[str, Any]:
        if why_not := FORMATS[options["format"]].why_not():
            raise OperationRefused(why_not)
        return options

    def sheet(self, options: Mapping[str, Any], rows: QuerySet[DeadLetter], cutoff: int) -> Sheet:
        return letters(rows, options.get("unmasked") is not True)

    def pages(self, work: OperationWork) -> FilePages:
        return FilePages(work)

    def is_grave(self, options: Mapping[str, Any]) -> bool:
        return bool(options.get("unmasked"))

    def why_approval(self, options: Mapping[str, Any]) -> str:
        return _("personal data leaves unmasked")

    def file(self, operation: Operation) -> ExportFile | None:
        return exporting.export_file(operation)
