"""The places of the demo's files."""

import os
from pathlib import Path


def data_directory() -> Path:
    """Return $FLIGHTS_DATA_DIR, else `flights` inside $DLQ_DATA_DIR, else ./.data/flights."""
    folder = os.environ.get("FLIGHTS_DATA_DIR")
    return Path(folder) if folder else console_directory() / "flights"


def console_directory() -> Path:
    """Return the data directory of the console itself: $DLQ_DATA_DIR, else ./.data."""
    return Path(os.environ.get("DLQ_DATA_DIR") or ".data")


def weather_address() -> str:
    """Return $FLIGHTS_WEATHER_URL: where the weather service answers; empty where there is none."""
    return os.environ.get("FLIGHTS_WEATHER_URL", "").rstrip("/")
