"""The named queries of the ledger: ``sql("effects.of_letters")``."""

from pathlib import Path

from dlqconsole.core.named_sql import load

sql = load(Path(__file__).parent)
