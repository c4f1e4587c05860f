"""The named queries of sealing: ``sql("sealing.newest")``."""

from pathlib import Path

from django.conf import settings

from dlqconsole.core.named_sql import load
from dlqconsole.core.schema import quoted

sql = load(Path(__file__).parent, lambda: quoted(settings.DLQ_SCHEMA))
