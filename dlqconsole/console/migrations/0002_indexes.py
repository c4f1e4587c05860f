from django.db import migrations

from dlqconsole.engine.migrations._index_comments import drop_unasked, say_what_indexes_serve

SERVED = {
    "sign_in_allowances_pkey": "the throttle: the tries of an account, an address or a device",
    "sign_in_allowances_spent": "the throttle: what is not used any more, to forget it",
}


class Migration(migrations.Migration):
    """Each index with the query that it serves."""

    dependencies = [("console", "0001_initial")]
    operations = [
        drop_unasked("sign_in_allowances_key_7d4d2fb8_like"),
        say_what_indexes_serve(SERVED),
    ]
