"""The engine's named queries, one atomic statement each: ``sql("messages.claim")``.

Each noun keeps its queries beside its code: ``messages/messages.sql``.
"""

from pathlib import Path

from django.conf import settings

from dlqconsole.core.named_sql import load
from dlqconsole.core.schema import quoted

sql = load(Path(__file__).parent, lambda: quoted(settings.DLQ_SCHEMA))
