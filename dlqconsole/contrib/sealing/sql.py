"""The named queries of sealing: ``sql("sealing.newest")``."""

from pathlib import Path

from django.conf import settings

from dlqconsole.core.schema import quoted
from dlqconsole.engine.named_sql import load

sql = load(Path(__file__).parent, lambda: quoted(settings.DLQ_SCHEMA))
