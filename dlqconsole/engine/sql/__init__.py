"""The engine's named queries, one atomic statement each: ``sql("messages.claim")``."""

from pathlib import Path

from dlqconsole.engine.named_sql import load

sql = load(Path(__file__).parent)
