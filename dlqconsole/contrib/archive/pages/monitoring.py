"""The figures of the archive for Prometheus, and the sentences of its health check.

The archive's page shows the details to its readers.
"""

from collections.abc import Iterator

from prometheus_client.core import GaugeMetricFamily, Metric

from dlqconsole.configuration.program import PROGRAM
from dlqconsole.contrib.archive import counting, folder
from dlqconsole.contrib.archive.counting import last_run

WRONG_FOLDER = (
    "the archive's folder is not there, or not this database's: nothing is archived, restored or erased;"
    f" mount it, or where it is the right one: {PROGRAM} archive adopt"
)


def metrics() -> Iterator[Metric]:
    """The size of the archive, and whether its job fails. A job that never ran has no figure."""
    for name, words in (("files", "Files of the archive"), ("rows", "Rows in them"), ("bytes", "Their size")):
        family = GaugeMetricFamily(f"dlq_archive_{name}", words, labels=["kind"])
        for row in counting.figures():
            family.add_metric([row.kind], getattr(row, name))
        yield family
    if last := counting.last_run():
        is_failing = float(last["status"] == "failed")
        yield GaugeMetricFamily("dlq_archive_failing", "1 where its last run failed", value=is_failing)
        yield GaugeMetricFamily(
            "dlq_archive_last_run_seconds", "How long ago it began", value=last["seconds"]
        )


def check() -> Iterator[str]:
    if folder.problem():
        yield WRONG_FOLDER
    last = last_run()
    if last and last["status"] == "failed":
        yield "the archive's last run failed: nothing was deleted by it"
