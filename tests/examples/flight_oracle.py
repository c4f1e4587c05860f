"""What must become of each event, worked out from the CSV files alone: no handler, no table, no schema."""

import csv
import io

from examples.flights.source import open_table


def expected_outcomes():
    """Map (type, id) of every event to the error's class name, or to "enriched"."""
    planes, weather, airports = _rows("planes"), _rows("weather"), _rows("airports")
    tailnums = {row["tailnum"] for row in planes}
    codes = {row["faa"] for row in airports}
    hours = {(row["origin"], row["time_hour"]) for row in weather}
    return {
        **{("aircraft.registered", row["tailnum"]): _valid(row, "year seats") for row in planes},
        **{
            ("weather.observed", f"{row['origin']}/{row['time_hour']}"): _valid(
                row, "temp dewp humid wind_speed pressure visib"
            )
            for row in weather
        },
        **{
            ("flight.departed", f"{row['time_hour']}/{row['carrier']}/{row['flight']}"): _flight(
                row, tailnums, codes, hours
            )
            for row in _rows("flights")
        },
    }


def _flight(row, tailnums, codes, hours):
    if row["dep_time"] == "NA":
        return "FlightCancelled"
    if row["tailnum"] not in tailnums:
        return "PlaneUnknown"
    if row["dest"] not in codes:
        return "AirportUnknown"
    return "enriched" if (row["origin"], row["time_hour"]) in hours else "WeatherMissing"


def _valid(row, columns):
    return "SchemaViolation" if any(row[name] == "NA" for name in columns.split()) else "enriched"


def _rows(name):
    with open_table(name) as file:
        return list(csv.DictReader(io.TextIOWrapper(file, encoding="utf-8", newline="")))
