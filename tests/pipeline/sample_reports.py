"""A report as a user would declare it, over the sample handlers' events."""

from datetime import timedelta

from dlqconsole.processing import report


@report(
    "orders",
    by=("event_type",),
    metrics={"orders": "count", "dead_share": "share"},
    title="Orders per day",
    day_of="occurred_at",
    margin=timedelta(),
)
def orders(events):
    from pyspark.sql import functions as sql

    return (
        events.withColumn("day", sql.to_date("occurred_at"))
        .groupBy("day", "event_type")
        .agg(
            sql.count("*").alias("orders"),
            sql.avg(sql.col("status").isNotNull().cast("double")).alias("dead_share"),
        )
    )
