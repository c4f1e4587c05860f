"""Reports whose functions are wrong."""

from dlqconsole.processing import report


@report("nothing", metrics={"n": "count"})
def nothing(events):
    return None


@report("raising", metrics={"n": "count"})
def raising(events):
    raise ValueError("no rate for EUR\nand more")


def _fail(batches):
    raise KeyError("EUR")


@report("failing", metrics={"n": "count"})
def failing(events):
    rows = events.sparkSession.range(1).selectExpr("current_date() AS day", "id AS n")
    return rows.mapInArrow(_fail, rows.schema)
