"""The engine's named queries: each must be one atomic statement. A query is found as ``sql("messages.claim")``."""

from pathlib import Path

from dlqconsole.engine.named_sql import load

sql = load(Path(__file__).parent)
