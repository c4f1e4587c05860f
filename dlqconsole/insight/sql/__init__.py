"""The room's named queries: ``sql("drift.came")``."""

from pathlib import Path

from dlqconsole.core.named_sql import load

sql = load(Path(__file__).parent)
