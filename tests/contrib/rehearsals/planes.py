"""A rehearsal before the flights of unknown planes are replayed: see tests/examples/test_planes_added.py."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from dlqconsole.contrib.rehearsals.job import job
from dlqconsole.contrib.rehearsals.job.worker import rehearse_range
from dlqconsole.engine.models import DeadLetter
from dlqconsole.operations.work import run
from dlqconsole.runs import starting
from tests.operations.conftest import ask, counts, work
from tests.operations.processes import address_here
from tests.pipeline.conftest import make_settings

HANDLERS = "examples.flights.handlers"


def here_and_there(
    number: int, group: dict[str, str], monkeypatch: pytest.MonkeyPatch, folder: Path
) -> dict[str, int]:
    """Rehearse here and by the pipeline's worker, which agree on each; return how many end how."""

    def there(settings, operation, own, parts, stop, terminal):
        own.describe("here", sum(part.items for part in parts))
        for part in parts:
            rehearse_range(job._rehearsal(settings, operation, own), part)

    monkeypatch.setattr(job, "_in_spark", there)
    here = ask("rehearse", filter=group, expected=number)
    work(60)
    on_spark = ask("rehearse", filter=group, expected=number, parameters={"on_spark": "on"})
    run.take_up(2)
    settings = make_settings(address_here(), folder)
    asked = starting._claim()
    job.rehearse(replace(settings, handlers=HANDLERS, adopted_run=asked["id"]), on_spark.pk)
    work()
    names = ("dead_letter_id", "would", "error_class", "category", "reason")
    said = [
        list(each.prediction_set.order_by("dead_letter_id").values_list(*names)) for each in (here, on_spark)
    ]
    assert said[0] == said[1]
    assert counts(here) == counts(on_spark)
    assert len(said[0]) == number
    return dict(Counter(error_class or "SUCCEEDED" for _id, _would, error_class, *_rest in said[0]))


def on_spark(number: int, group: dict[str, str]) -> None:
    """Rehearse on Spark, by the process that a starter begins."""
    operation = ask("rehearse", filter=group, expected=number, parameters={"on_spark": "on"})
    work(300)
    status, selected, done, skipped, failed = counts(operation)
    assert (status, selected, skipped) == ("completed", number, 0)
    assert done + failed == number
    assert not DeadLetter.objects.filter(status="SUCCEEDED").exists()
