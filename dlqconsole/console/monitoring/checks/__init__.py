"""The checks of ``/healthz`` and ``/readyz``: one file each, imported automatically.

A file has a function ``check`` that returns sentences, none if all is well. Anybody may read them, so they
hold no data. ``NotReady``, raised with a sentence, makes ``/readyz`` answer 503.
"""
