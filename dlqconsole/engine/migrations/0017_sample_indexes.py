from django.db import migrations

from dlqconsole.engine.migrations._index_comments import drop_unasked, say_what_indexes_serve

SERVED = {
    "success_samples_pkey": "a sample by number",
    "success_samples_source": "an event is one sample, however often it succeeds; a purge takes its samples along",
    "success_samples_type": "a type's newest samples; what is too old, or too much of a day",
    "sample_policies_pkey": "how one event type is sampled",
}


class Migration(migrations.Migration):
    """Each index with the query that it serves."""

    dependencies = [("engine", "0016_samples")]
    operations = [
        drop_unasked("sample_policies_event_type_1f123e41_like"),
        say_what_indexes_serve(SERVED),
    ]
