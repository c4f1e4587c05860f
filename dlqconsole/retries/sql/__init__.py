"""The schedule's named queries: ``sql("runs.is_due")``."""

from pathlib import Path

from dlqconsole.core.named_sql import load

sql = load(Path(__file__).parent)
