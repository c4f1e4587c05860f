from django.db import migrations

from dlqconsole.engine.migrations._index_comments import drop_unasked, say_what_indexes_serve
from dlqconsole.engine.migrations._sql_file import run_sql_file

SERVED = {"breakers_pkey": "whoever reports what came of a run, or wants to try: a breaker by name"}


class Migration(migrations.Migration):
    """How breakers move, and what the index serves."""

    dependencies = [("engine", "0014_breakers")]
    operations = [
        run_sql_file("0015_breaking"),
        drop_unasked("breakers_key_c05846d2_like"),
        say_what_indexes_serve(SERVED),
    ]
