"""The reports' and exports' named queries: ``sql("exports.csv")``."""

from pathlib import Path

from dlqconsole.core.named_sql import load

sql = load(Path(__file__).parent)
