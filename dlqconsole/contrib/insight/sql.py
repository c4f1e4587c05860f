"""The named queries of insight, also for Spark's workers, which know no Django: ``sql("drift.due")``."""

from pathlib import Path

from dlqconsole.core.named_sql import load

sql = load(Path(__file__).parent)
