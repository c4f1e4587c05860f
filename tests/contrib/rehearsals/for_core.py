"""Parts of rehearsals in tests that look at everything: see tests/of_features.py."""

from tests.contrib.rehearsals import planes

READS = [("rehearse", "--handlers", "tests.sample_handlers", "--than", "examples.flights.handlers")]
# kinds that look at what has changed since they were asked for
KINDS = ("rehearse",)
# forms, and whether they need somebody who begins runs
ON_SPARK = [({"kind": "rehearse", "on_spark": "on"}, True), ({"kind": "rehearse"}, False)]
# an option of operations that retry or revive, as nobody has chosen it
OPTIONS = {"rehearsal": ""}
ASKED_WRONGLY = [
    (
        ("rehearse", "--handlers", "nosuch", "--than", "tests.sample_handlers"),
        "--handlers names 'nosuch', and there is no module",
    ),
]
# predictions for flights that are then replayed
rehearsed_here_and_there, rehearsed_on_spark = planes.here_and_there, planes.on_spark
