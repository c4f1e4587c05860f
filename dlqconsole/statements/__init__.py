"""The statements that Django's rooms and the pipeline both make: ``sql("claims.succeed")``."""

from pathlib import Path

from dlqconsole.statements.loading import load

sql = load(Path(__file__).parent)
