"""The daily report of the flights: punctuality per day and airline."""

from datetime import timedelta
from typing import TYPE_CHECKING

from dlqconsole.processing import report

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

# The US Department of Transportation calls a flight on time when it arrives less than this late.
ON_TIME_MINUTES = 15

NEW_YORK = "America/New_York"

FIELDS = "year INT, month INT, day INT, carrier STRING, dep_time INT, dep_delay INT, arr_delay INT"


@report(
    "daily_flights",
    title="Flights per day and airline, delays in minutes",
    by=("carrier",),
    metrics={
        "flights": "count",
        "cancelled": "count",
        "on_time_share": "share",
        "mean_departure_delay": "mean",
        "p90_departure_delay": "p90",
        "mean_arrival_delay": "mean",
        "p90_arrival_delay": "p90",
        "dead_letters": "count",
    },
    # they all leave from New York, and an event's time is the hour of the schedule: that is its day, exactly
    day_of="occurred_at",
    timezone=NEW_YORK,
    margin=timedelta(),
)
def daily_flights(events: "DataFrame") -> "DataFrame":
    """Count flights, cancellations and dead letters; delays are in minutes, early ones negative.

    A p90 is exact: nine of ten flights were at most so late, and between two delays it is interpolated.

    `on_time_share`: of the flights that left, the share that arrived less than 15 minutes late
    (US DOT). A flight that left and never arrived where it should (diverted) was not on time.
    The day is the day of the schedule, in local time; the live repeat of one day is left out.
    """
    from pyspark.sql import functions as sql

    flights = events.where("source = 'flights' AND event_type = 'flight.departed'").select(
        # An enriched event may have been kept as its record only: both carry the same fields.
        sql.from_json(sql.coalesce("data", "record"), FIELDS).alias("flight"),
        sql.col("status").isNotNull().alias("dead"),
        sql.to_date(sql.from_utc_timestamp("occurred_at", NEW_YORK)).alias("occurred"),
    )
    # A dead letter may carry a day the calendar does not have: it counts on the day it occurred.
    schedule_day = sql.expr("try_cast(concat_ws('-', year, month, day) AS DATE)")
    flown = sql.col("dep_time").isNotNull()
    on_time = sql.coalesce(sql.col("arr_delay") < ON_TIME_MINUTES, sql.lit(False))
    return (
        flights.select("flight.*", "dead", "occurred")
        .withColumn("day", sql.coalesce(schedule_day, "occurred"))
        .groupBy("day", "carrier")
        .agg(
            sql.count("*").alias("flights"),
            sql.count_if(~flown).alias("cancelled"),
            sql.avg(sql.when(flown, on_time.cast("double"))).alias("on_time_share"),
            sql.avg("dep_delay").alias("mean_departure_delay"),
            sql.percentile("dep_delay", 0.9).alias("p90_departure_delay"),
            sql.avg("arr_delay").alias("mean_arrival_delay"),
            sql.percentile("arr_delay", 0.9).alias("p90_arrival_delay"),
            sql.count_if("dead").alias("dead_letters"),
        )
    )
