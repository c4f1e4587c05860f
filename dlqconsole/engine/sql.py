"""The engine's named queries, one atomic statement each: ``sql("queue_metrics.standing")``.

Each noun keeps its queries beside its code: ``queues/queue_metrics.sql``.
"""

from pathlib import Path

from django.conf import settings

from dlqconsole.core.named_sql import load
from dlqconsole.core.schema import quoted

sql = load(Path(__file__).parent, lambda: quoted(settings.DLQ_SCHEMA))
