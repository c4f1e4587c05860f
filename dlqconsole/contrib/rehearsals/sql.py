"""The named queries of rehearsals, also for Spark, which knows no Django: ``sql("work.open")``."""

from pathlib import Path

from dlqconsole.core.named_sql import load

sql = load(Path(__file__).parent)
