from django.db import migrations

from dlqconsole.engine.migrations._index_comments import say_what_indexes_serve

SERVED = {
    "retry_policies_pkey": "a policy by number: its page",
    "retry_policies_whose": "one policy for the same dead letters; the policy of a type, which somebody pauses",
    "retry_run_requests_pkey": "the newest, asked at every tick",
}


class Migration(migrations.Migration):
    """Each index with the query that it serves; the index itself is made when 0003 ends."""

    dependencies = [("retries", "0003_policies")]
    operations = [
        say_what_indexes_serve(SERVED),
    ]
