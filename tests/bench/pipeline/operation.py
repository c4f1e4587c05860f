"""An operation over one error class, with the processes that it asks for: ``… operation KIND CLASS``."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import django

django.setup()

from dlqconsole.engine.access_scope import EVERYTHING, ask_as  # noqa: E402
from dlqconsole.engine.dead_letters.filters import DeadLetterFilter  # noqa: E402 - it needs the settings
from dlqconsole.engine.models import DeadLetter  # noqa: E402
from dlqconsole.operations.models import Operation  # noqa: E402
from dlqconsole.operations.requests import service  # noqa: E402
from dlqconsole.operations.work import run  # noqa: E402
from tests.accounts import ALICE  # noqa: E402
from tests.asking import ask_for  # noqa: E402

# where there is a choice
ON_SPARK = {"rehearse": {"on_spark": "on"}}

ask_as(EVERYTHING)
# we are the worker: there is nobody to wake
service.wake = run.wake = lambda *_: None


def main(kind: str, error_class: str) -> None:
    """Ask for it and be its worker until it is over. Raises RuntimeError where something is left."""
    group = DeadLetter.objects.filter(error_class=error_class).values_list("group_id", flat=True)[0]
    number = DeadLetter.objects.filter(group_id=group).count()
    meant = DeadLetterFilter.parse({"group": str(group)})
    with starter():
        options = ON_SPARK.get(kind, {})
        asked = ask_for(
            kind, actor=ALICE, parameters=options, expected=number, typed_count=number, filter=meant
        )
        while (found := Operation.objects.get(pk=asked.pk)).is_live:
            run.take_up(0.5)
            time.sleep(0.02)
    if found.done + found.failed != number:
        raise RuntimeError(f"Of {number} are done {found.done} and failed {found.failed}: {found.note}")


@contextmanager
def starter() -> Iterator[None]:
    """What begins the pipeline's processes."""
    child = subprocess.Popen([sys.executable, "-m", "tests.runs.a_starter"], stdout=subprocess.DEVNULL)
    try:
        yield
    finally:
        child.kill()
        child.wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
