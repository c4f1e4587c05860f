"""The operations' named queries, one atomic statement each: ``sql("pages.revive")``."""

from pathlib import Path

from dlqconsole.core.named_sql import load

sql = load(Path(__file__).parent)
