"""The transports' named queries: ``sql("relay.due")``. Each folder keeps its queries beside its code."""

from pathlib import Path

from dlqconsole.core.named_sql import load

sql = load(Path(__file__).parent)
