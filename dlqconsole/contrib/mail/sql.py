"""The named queries of the report by mail."""

from pathlib import Path

from dlqconsole.core.named_sql import load

sql = load(Path(__file__).parent)
