"""The named queries of insight, also for Spark's workers, which know no Django: ``sql("drift.due")``."""

from pathlib import Path

from dlqconsole.statements.loading import load

sql = load(Path(__file__).parent)
