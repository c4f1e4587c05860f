"""What ``/healthz`` and ``/readyz`` say of this system: a file each, found by itself.

A file has a function ``check`` that gives sentences, none where there is nothing to say. Anybody may read
them, so they hold no data. ``NotReady`` with a sentence, raised, makes ``/readyz`` answer 503.
"""
