"""The core's named queries, one atomic statement each: ``sql("messages.claim")``.

Each noun keeps its queries beside its code: ``messages/messages.sql``.
"""

from pathlib import Path

from dlqconsole.core.named_sql import load
from dlqconsole.core.schema import quoted
from dlqconsole.core.settings import settings

sql = load(Path(__file__).parent, lambda: quoted(settings.DLQ_SCHEMA))
