"""The named queries of rehearsals: ``sql("work.open")``."""

from pathlib import Path

from dlqconsole.statements.loading import load

sql = load(Path(__file__).parent)
