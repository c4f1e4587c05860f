"""The form of "Run now": a job's arguments, and the reason."""

from typing import Any

from dlqconsole.console.parts.fields import ReasonField, inputs
from dlqconsole.console.parts.forms import ConsoleForm
from dlqconsole.runs.jobs import Job


class JobForm(ConsoleForm):
    """The fields of one job."""

    ids = "run"

    reason = ReasonField(required=False, label="Why? It goes into the audit (may stay empty)")

    def __init__(self, *arguments: Any, job: Job, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.fields = inputs(job.fields()) | self.fields

    @property
    def arguments(self) -> dict[str, str]:
        """The filled-in values, as the job reads them."""
        values = {name: value for name, value in self.cleaned_data.items() if name != "reason"}
        return {name: str(value) for name, value in values.items() if value not in (None, "")}
